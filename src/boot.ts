import manifest from '../package.json' with { type: 'json' }

// This file is built for Node 12 and loads nothing before the check, so that an old Node reads the sentence
// below instead of a syntax error.
const required = manifest.engines.node.replace('>=', '')

function isOlder(version: string, minimum: string): boolean {
  const [have, need] = [version.split('.').map(Number), minimum.split('.').map(Number)]
  for (let i = 0; i < need.length; i += 1) {
    const difference = Number(have[i]) - Number(need[i])
    if (difference !== 0) return difference < 0
  }
  return false
}

function keepCompiledCode(): void {
  try {
    process.getBuiltinModule('node:module').enableCompileCache()
  } catch {
    // Without a cache the program only starts slower.
  }
}

if (isOlder(process.versions.node, required)) {
  process.stderr.write(`mcpdeck needs Node ${required} or newer; this is Node ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  keepCompiledCode()
  void import('./main.tsx')
}
