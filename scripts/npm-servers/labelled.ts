import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

/** A finding of the doctor, and what a person says of it who looked at the tool. */
export type Labelled = {
  rule: string
  place: string
  text: string
  /** Null until somebody has looked. */
  isTrue: boolean | null
  /** Why it is false. */
  why?: string
}

/** What the doctor found at a server of this version, which lists so many tools. */
type Examined = { version: string; tools: number; findings: readonly Labelled[] }

/** The labels of all servers that answered, with the day on which the last was examined. */
export type Labels = { date: string; servers: Readonly<Record<string, Examined>> }

const file = join(root, 'scripts/npm-servers/labelled.json')

/** The labels as they are in the repository. */
export function readLabels(): Labels {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Puts them there. */
export function writeLabels(labels: Labels): void {
  writeFileSync(file, `${JSON.stringify(labels, null, 2)}\n`)
}

/** Every finding with the name of its server. */
export function findingsIn({ servers }: Labels): (Labelled & { server: string })[] {
  return Object.entries(servers).flatMap(([server, { findings }]) => findings.map(each => ({ server, ...each })))
}
