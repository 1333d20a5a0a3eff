import { jsonText } from '../../lib/printable.ts'
import { writeDocument } from '../../lib/yaml/yaml-writing.ts'
import { configFile } from './directories.ts'
import { EXIT } from '../process/exit-codes.ts'
import { say } from '../output/prose.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { defaultFile } from './default-file.ts'
import { check, loadConfig, problemLine, readConfigText, writeConfig } from './file.ts'

/** Writes the commented default file if there is none. */
export async function initConfig(): Promise<number> {
  const path = configFile(process.env)
  if (readConfigText(path) !== undefined || !(await writeConfig(path, defaultFile(), undefined)))
    throw new UsageError(`There is a config file already: ${path}. It stays as it is.`)
  process.stdout.write(`${path}\n`)
  return EXIT.done
}

/** Prints where the config file is, whether it exists or not. */
export function showConfigPath(): number {
  process.stdout.write(`${configFile(process.env)}\n`)
  return EXIT.done
}

/** Prints the settings of the config file, with defaults, as YAML or JSON. They contain no key. */
export async function showConfig(json: boolean | undefined): Promise<number> {
  const { config } = await loadConfig(process.env)
  process.stdout.write(json ? `${jsonText(config)}\n` : writeDocument({ value: config, words: {} }))
  return EXIT.done
}

/** Prints everything that is wrong in the config file, one a line. */
export async function checkConfigFile(json: boolean | undefined): Promise<number> {
  const path = configFile(process.env)
  const text = readConfigText(path)
  const checked = await check(text ?? '')
  const problems = checked.ok ? [] : checked.problems
  if (json) process.stdout.write(`${jsonText({ path, exists: text !== undefined, problems })}\n`)
  else if (checked.ok)
    process.stdout.write(
      text === undefined ? `There is no ${path}; everything is at its default.\n` : `${path} is fine.\n`,
    )
  else for (const problem of problems) say(problemLine(path, problem))
  return checked.ok ? EXIT.done : EXIT.usage
}
