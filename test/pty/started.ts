import { subscribe } from 'node:diagnostics_channel'

/** A terminal as reported for a failed test. */
type ShownTerminal = { command: string; screen: () => string }

let isStarted = false
const terminals = new Set<ShownTerminal>()

subscribe('child_process', programStarted)

/** Records that the running test file starts programs, which a busy machine may slow down. */
export function programStarted(): void {
  isStarted = true
}

/** Records a terminal, whose screen is reported if the running test fails. */
export function terminalOpened(terminal: ShownTerminal): void {
  isStarted = true
  terminals.add(terminal)
}

/** Whether the running test file has started a program since `forgetPrograms`. */
export const startsPrograms = (): boolean => isStarted

/** The screens of the terminals of the running test, current or last; the latest terminal comes last. */
export const lastScreens = (): string[] => [...terminals].map(({ command, screen }) => `$ ${command}\n${screen()}`)

export const forgetTerminals = (): void => terminals.clear()

export function forgetPrograms(): void {
  isStarted = false
}
