import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { replaceBuiltinImports } from '../../scripts/build/builtins.ts'
import { temporaryDirectory } from '../service/harness.ts'

const { renderChunk } = replaceBuiltinImports()
const render = renderChunk as unknown as (code: string) => string

const SOURCE = `
import paths, { join as joined } from 'node:path'
import * as files from 'fs'
import { createHash, Hash } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import processes from 'node:child_process'
import * as lines from 'node:readline'
const text = 'import { x } from "node:path"'
export const seen = [joined('a', 'b'), paths.join('c', 'd'), typeof files.readFileSync, text]
export const hash = createHash('sha256')
export const late = access.length
export const standIns = [processes.execFileSync('echo', ['here']).toString(), typeof lines.createInterface]
export const known = [hash instanceof Hash, typeof constants.R_OK]
`

test('Node’s modules are loaded without import, in every form, and behave the same', async () => {
  const code = render(SOURCE)
  expect(code).not.toMatch(/^import/m)
  const file = join(temporaryDirectory(), 'chunk.mjs')
  writeFileSync(file, code)
  const made: unknown = await import(pathToFileURL(file).href)
  expect(made).toMatchObject({
    seen: ['a/b', 'c/d', 'function', 'import { x } from "node:path"'],
    known: [true, 'number'],
    late: 0,
    standIns: ['here\n', 'function'],
  })
})

const REQUIRING = `
let node_path = require("node:path");
let node_crypto = require("node:crypto");
let node_child_process$1 = require("node:child_process");
node_child_process$1 = runtime.__toESM(node_child_process$1, 1);
let other = require("./other.cjs");
exports.seen = [
  (0, node_path.join)('a', 'b'),
  (0, node_crypto.createHash)('sha256') instanceof node_crypto.Hash,
  node_child_process$1.default.execFileSync('echo', ['here']).toString(),
  other,
]
`

test('required modules behave the same, and costly modules are loaded at their first use', () => {
  const code = render(REQUIRING)
  const required: string[] = []
  const exports: { seen?: unknown } = {}
  const require = (id: string) => {
    required.push(id)
    return id
  }
  runInThisContext(`(function (exports, require) {${code}\n})`)(exports, require)
  expect(required).toEqual(['./other.cjs'])
  expect(exports.seen).toEqual(['a/b', true, 'here\n', './other.cjs'])
})

test('an import of anything other than Node’s own modules is left alone', () => {
  const code = `import zod from 'zod'\nimport { a } from './a.js'\nexport { a, zod }\n`
  expect(render(code)).toBe(code)
})
