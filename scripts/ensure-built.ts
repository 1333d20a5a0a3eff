import { isBuilt } from './inputs.ts'

/** Builds if `dist` is missing or older than its inputs, and says so on stderr; silent otherwise. */
export async function ensureBuilt(): Promise<void> {
  if (isBuilt()) return
  process.stderr.write('mcpdeck: building…\n')
  const { build } = await import('./build.ts')
  await build()
}

if (import.meta.main) await ensureBuilt()
