import { REFUSALS } from '../../src/domain/servers/portability.ts'
import { RULES } from '../../src/domain/servers/rules.ts'
import { table } from '../bench/report.ts'
import { findingsIn, readLabels, type Labels } from '../npm-servers/labelled.ts'

/**
 * docs/doctor.md: what a server is examined for, from the list of rules, and how often that was false, from the labels
 * of what published servers were found to have.
 */
export function doctorDocument(): string {
  const rows = RULES.map(({ id, severity, says, advice }) => `| \`${id}\` | ${severity} | ${says} | ${advice} |`)
  const refusals = Object.values(REFUSALS).map(({ says, source }) => `- ${says} ([source](${source})).`)
  return `# What the doctor finds

Written by \`npm run docs\` from \`src/domain/servers/rules.ts\`. \`d\` on a server, or \`mcpdeck doctor everything\`, connects and takes the
steps from probe to listings; these rules then look at what came of it. No tool is called for them. What is \`wrong\` makes the
report \`warnings\` and the exit code 3; with \`--strict\` so do advice, and what could not be checked. A server that is
switched off is \`off\`, and 3, where every check passed. Each finding says where it is and what to do; \`--json\` has the
word for each server as \`state\`, and the findings under \`report.findings\` with \`kind\`, \`rule\`, \`place\`, \`text\` and \`advice\`,
and under \`report.since\` those that are new, or gone, since the report before. What half of a server's tools lack,
and three at least, is one finding about the server.

| rule | counts as | finds | advice |
|---|---|---|---|
${rows.join('\n')}

## What strict clients refuse

\`portability\` looks for these, which were refused as servers list them. It leaves out what clients change before they send it on
(\`$schema\`, \`$ref\`, \`additionalProperties\`) and what OpenAI's strict mode alone demands (a type of every part).

${refusals.join('\n')}

## How often it is false

${falseSection(readLabels())}
`
}

function falseSection(labels: Labels): string {
  const servers = Object.entries(labels.servers)
  const all = findingsIn(labels)
  const isFalse = (each: { isTrue: boolean | null }): boolean => each.isTrue === false
  const tools = servers.reduce((sum, [, each]) => sum + each.tools, 0)
  const rules = RULES.map(({ id }) => {
    const own = all.filter(({ rule }) => rule === id)
    return [`\`${id}\``, own.length, new Set(own.map(({ server }) => server)).size, own.filter(isFalse).length].map(
      String,
    )
  })
  const told = all.filter(isFalse).map(each => `\`${each.server}\`: ${each.text} (${each.why ?? ''})`)
  const open = all.filter(({ isTrue }) => isTrue === null).length
  return [
    `\`npm run doctor-servers\` lets the doctor examine the servers from npm of [npm-servers.md](npm-servers.md), each installed in a
folder of its own, two at the same time. What they answer is kept below the user's cache, so that a changed rule is tried
on the same answers; \`--again\` asks them anew. Each finding goes into \`scripts/npm-servers/labelled.json\`, where whoever
has the tool in front of them says whether it is true; what is not labelled yet is printed with the tool, and the exit
code is 1. A finding that is false is mended in the rule, so that the figures hold for these servers, and say less of
others.`,
    `Examined up to ${labels.date}: ${servers.length} servers that list tools, ${tools} tools, ${all.length} findings, ` +
      `${all.filter(isFalse).length} of them called false${open > 0 ? `, ${open} not labelled yet` : ''}.`,
    table(['rule', 'findings', 'servers', 'called false'], rules),
    ...(told.length > 0 ? [`Called false: ${told.join('; ')}.`] : []),
    table(
      ['server', 'version', 'tools', 'findings'],
      servers.map(([name, { version, tools: count, findings }]) => [
        `\`${name}\``,
        version,
        String(count),
        String(findings.length),
      ]),
    ),
  ].join('\n\n')
}
