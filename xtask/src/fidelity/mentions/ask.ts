// Asks omp's own modules which skill each of some texts calls.
// Arguments: the package's `src` folder, the working folder, the file with the texts, the file to write the answer to.
import { readFileSync, writeFileSync } from "node:fs";

const [base, cwd, texts, out] = process.argv.slice(2);
const { loadSkills, parseSkillInvocation } = await import(`${base}/extensibility/skills.ts`);
const { initializeWithSettings } = await import(`${base}/discovery/index.ts`);
const { Settings } = await import(`${base}/config/settings.ts`);

const settings = await Settings.init({ cwd });
initializeWithSettings(settings);
const group = settings.getGroup("skills");
const { skills } = await loadSkills({ ...group, disabledExtensions: settings.get("disabledExtensions"), cwd });
const answer = JSON.parse(readFileSync(texts, "utf8")).map(text => {
	const call = group.enableSkillCommands ? parseSkillInvocation(text) : undefined;
	const skill = skills.find(skill => skill.name === call?.name);
	return skill ? [{ name: skill.name, path: skill.filePath, arguments: call.args }] : [];
});
writeFileSync(out, JSON.stringify(answer));
process.exit(0);
