import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

/** A finding of the doctor, and the judgement of a person who examined the tool. */
export type Labelled = {
  rule: string
  place: string
  text: string
  /** Null until a person has judged it. */
  isTrue: boolean | null
  /** Why the finding is false. */
  why?: string
}

/** The doctor's findings for this version of a server, with its number of tools. */
type Examined = { version: string; tools: number; findings: readonly Labelled[] }

/** The labels of all servers that answered, with the date of the last examination. */
export type Labels = { date: string; servers: Readonly<Record<string, Examined>> }

const file = join(root, 'scripts/npm-servers/labelled.json')

/** Returns the labels in the repository. */
export function readLabels(): Labels {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Writes the labels to the repository. */
export function writeLabels(labels: Labels): void {
  writeFileSync(file, `${JSON.stringify(labels, null, 2)}\n`)
}

/** Returns every finding with the name of its server. */
export function findingsIn({ servers }: Labels): (Labelled & { server: string })[] {
  return Object.entries(servers).flatMap(([server, { findings }]) => findings.map(each => ({ server, ...each })))
}
