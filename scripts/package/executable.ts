import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { dist, inputsFile, root } from '../paths.ts'

/** Node's own marker in its executable. It says whether a program is embedded. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * Packs the whole program with Node's own tool for a single executable: the built package, and the code that unpacks
 * it. The same for every machine, since it contains no code cache and no snapshot, which are specific to one processor.
 * @param node path of a Node of the version that will contain it
 */
export async function packProgram(node: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-package-'))
  const at = (name: string) => join(folder, name)
  try {
    await using bundler = await rolldown({ input: join(root, 'src/executable.ts'), platform: 'node', logLevel: 'warn' })
    await bundler.write({ file: at('main.cjs'), format: 'cjs', minify: true })
    const names = [join(root, 'package.json'), ...filesOf(dist)].map(file => relative(root, file).split(sep).join('/'))
    const hash = createHash('sha256')
    for (const name of names) hash.update(`${name}\0`).update(readFileSync(join(root, name)))
    const files = Object.fromEntries(names.map(name => [name, statSync(join(root, name)).size]))
    writeFileSync(at('contents.json'), JSON.stringify({ digest: hash.digest('hex'), files }))
    const config = {
      main: at('main.cjs'),
      output: at('program.blob'),
      disableExperimentalSEAWarning: true,
      assets: { contents: at('contents.json'), ...Object.fromEntries(names.map(name => [name, join(root, name)])) },
    }
    writeFileSync(at('config.json'), JSON.stringify(config))
    execFileSync(node, ['--experimental-sea-config', at('config.json')], { stdio: 'pipe' })
    return readFileSync(at('program.blob'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Embeds a packed program in a copy of Node. */
export async function writeExecutable(file: string, node: string, program: Buffer, isMac: boolean): Promise<void> {
  const { inject } = await import('postject')
  copyFileSync(node, file)
  await chmod(file, 0o755)
  const options = { sentinelFuse: FUSE, ...(isMac && { machoSegmentName: 'NODE_SEA' }) }
  await inject(file, 'NODE_SEA_BLOB', program, options)
}

/** Returns the files of the built program. */
export function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && entry.name !== inputsFile)
  return files.map(entry => join(entry.parentPath, entry.name)).toSorted()
}
