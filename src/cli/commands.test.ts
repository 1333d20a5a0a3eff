import { expect, test } from 'vitest'
import { buildProgram } from './commands.ts'

const refused = (...argv: string[]): Promise<unknown> => {
  const dashboard = () => Promise.reject(new Error('nothing opens here'))
  return buildProgram({ version: '0', dashboard }).parse(argv)
}

test.each([
  ['cancel', ['cancel', 'run_a', 'run_b', '--yes']],
  ['delete', ['delete', 'swarm', 'Checkout', 'flow', '--yes']],
  ['get', ['get', 'projects', 'Sandbox', 'more']],
  ['profile remove', ['profile', 'remove', 'far', 'near']],
  ['serve', ['serve', 'statsu']],
  ['serve gate', ['serve', 'gate', 'swarms', 'off', 'on']],
])('an extra word is refused before the command does anything: %s', async (command, argv) => {
  await expect(refused(...argv)).rejects.toThrow(new RegExp(`[Tt]oo many arguments.* See mcpdeck ${command} --help`))
})

test.each([
  ['--junit', ['run', 'Smoke', '--yes', '--junit', '']],
  ['--dir', ['export', '--dir', '']],
  ['--header', ['call', '--url', 'http://127.0.0.1:9', '--header', 'A: b', '--header', '']],
  ['--data-dir', ['--data-dir', '', 'serve', 'limits', 'set', 'burst=1']],
])('a value from an unset variable is refused: %s', async (option, argv) => {
  await expect(refused(...argv)).rejects.toThrow(`${option} is empty.`)
})

test.each([
  ['--env', ['call', 'everything', 'echo', '--env', 'A=b']],
  ['--timeout', ['doctor', 'everything', '--timeout', '5s']],
  ['--env', ['snapshot', 'diff', 'before.json', 'everything', '--env', 'A=b']],
  ['--header', ['snapshot', 'diff', 'before.json', 'everything', '--header', 'A: b']],
  ['--cwd', ['snapshot', 'diff', 'before.json', 'everything', '--cwd', '/']],
])('an option that a saved server would ignore is refused: %s', async (option, argv) => {
  await expect(refused(...argv)).rejects.toThrow(`${option} goes with --command or --url`)
})

test('help for an unknown command is refused with the most similar one', async () => {
  await expect(refused('help', 'lanch')).rejects.toThrow('There is no command "lanch". Did you mean "launch"? See')
})

test('the help lists every command under a heading', () => {
  const { program } = buildProgram({ version: '0', dashboard: () => Promise.resolve(0) })
  const help = program.createHelp()
  const listed = help.visibleCommands(program)
  expect(listed.filter(command => !command.helpGroup()).map(command => command.name())).toEqual([])
  expect(listed.map(command => command.name())).toContain('help')
})
