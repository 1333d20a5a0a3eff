import { RULES } from '../../src/domain/servers/rules.ts'

/** docs/doctor.md: what a server is examined for, from the list of rules. */
export function doctorDocument(): string {
  const rows = RULES.map(({ id, severity, says, advice }) => `| \`${id}\` | ${severity} | ${says} | ${advice} |`)
  return `# What the doctor finds

Written by \`npm run docs\` from \`src/domain/servers/rules.ts\`. \`d\` on a server, or \`mcpdeck doctor everything\`, connects and takes the
steps from probe to listings; these rules then look at what came of it. No tool is called for them. What is \`wrong\` makes the
report \`warnings\` and the exit code 3; with \`--strict\` so do advice, and what could not be checked. Each finding says
where it is and what to do; \`--json\` has them under \`report.findings\` with \`kind\`, \`rule\`, \`place\`, \`text\` and \`advice\`, and
under \`report.since\` those that are new, or gone, since the report before.

| rule | counts as | finds | advice |
|---|---|---|---|
${rows.join('\n')}
`
}
