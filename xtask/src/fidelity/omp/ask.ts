// Asks omp's own modules which skills it sees in a folder, and what it tells the model about them.
// Arguments: the package's `src` folder, the working folder, the file to write the answer to.
import { writeFileSync } from "node:fs";

const [base, cwd, out] = process.argv.slice(2);
const { loadSkills } = await import(`${base}/extensibility/skills.ts`);
const { initializeWithSettings } = await import(`${base}/discovery/index.ts`);
const { Settings } = await import(`${base}/config/settings.ts`);
const { buildSystemPrompt } = await import(`${base}/system-prompt.ts`);

const settings = await Settings.init({ cwd });
initializeWithSettings(settings);
const group = settings.getGroup("skills");
const { skills, warnings } = await loadSkills({ ...group, disabledExtensions: settings.get("disabledExtensions"), cwd });
const { systemPrompt } = await buildSystemPrompt({ cwd, skills, toolNames: ["read"], contextFiles: [], rules: [] });
const answer = {
	skills: skills.map(skill => ({
		name: skill.name,
		description: skill.description,
		path: skill.filePath,
		source: skill.source,
		hidden: skill.hide === true,
	})),
	warnings: warnings.map(warning => warning.message),
	prompt: systemPrompt[0] ?? "",
};
writeFileSync(out, JSON.stringify(answer));
process.exit(0);
