// Reads addresses through omp's own modules and writes down what it answers.
// Arguments: the package's `src` folder, the working folder, the file to write the answer to, the addresses.
import { writeFileSync } from "node:fs";

const [base, cwd, out, ...addresses] = process.argv.slice(2);
const { loadSkills } = await import(`${base}/extensibility/skills.ts`);
const { initializeWithSettings } = await import(`${base}/discovery/index.ts`);
const { Settings } = await import(`${base}/config/settings.ts`);
const { SkillProtocolHandler } = await import(`${base}/internal-urls/skill-protocol.ts`);
const { parseInternalUrl } = await import(`${base}/internal-urls/parse.ts`);

const settings = await Settings.init({ cwd });
initializeWithSettings(settings);
const group = settings.getGroup("skills");
const { skills } = await loadSkills({ ...group, disabledExtensions: settings.get("disabledExtensions"), cwd });
const handler = new SkillProtocolHandler();
const answers: { text?: string; type?: string; error?: string }[] = [];
for (const address of addresses) {
	try {
		const found = await handler.resolve(parseInternalUrl(address), { skills });
		answers.push({ text: found.content, type: found.contentType });
	} catch (error: any) {
		answers.push({ error: String(error?.message ?? error) });
	}
}
writeFileSync(out, JSON.stringify(answers));
process.exit(0);
