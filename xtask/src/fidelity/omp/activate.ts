// Calls skills through omp's own modules and writes down the messages that it makes of them.
// Arguments: the package's `src` folder, the working folder, the file to write the answer to, the texts that are typed.
import { writeFileSync } from "node:fs";

const [base, cwd, out, ...typed] = process.argv.slice(2);
const { loadSkills, parseSkillInvocation, buildSkillPromptMessage } = await import(`${base}/extensibility/skills.ts`);
const { initializeWithSettings } = await import(`${base}/discovery/index.ts`);
const { Settings } = await import(`${base}/config/settings.ts`);

const settings = await Settings.init({ cwd });
initializeWithSettings(settings);
const group = settings.getGroup("skills");
const { skills } = await loadSkills({ ...group, disabledExtensions: settings.get("disabledExtensions"), cwd });
const answers: (string | null)[] = [];
for (const text of typed) {
	const call = parseSkillInvocation(text);
	const skill = skills.find((skill: { name: string }) => skill.name === call?.name);
	answers.push(skill ? (await buildSkillPromptMessage(skill, call, "user")).message : null);
}
writeFileSync(out, JSON.stringify(answers));
process.exit(0);
