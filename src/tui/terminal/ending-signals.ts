import { constants } from 'node:os'

/** Every signal that ends the program and can be heard; all of them give the terminal back and settle what is open. */
const ENDING_SIGNALS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGABRT',
  'SIGALRM',
  'SIGUSR2',
  'SIGXCPU',
  'SIGXFSZ',
] as const

export type EndingSignal = (typeof ENDING_SIGNALS)[number]

/** What a shell reports of a program that a signal ended: 128 and the signal's number on this system. */
export function signalExitCode(signal: EndingSignal): number {
  return 128 + constants.signals[signal]
}

export function isEndingSignal(value: unknown): value is EndingSignal {
  return ENDING_SIGNALS.some(signal => signal === value)
}

/** Those of the ending signals that this system has, with their numbers. */
export function heardSignals(): readonly (readonly [EndingSignal, number])[] {
  return ENDING_SIGNALS.filter(signal => signal in constants.signals).map(signal => [signal, constants.signals[signal]])
}

/** Calls the listener at each signal that would end the process; the answer stops that. */
export function onEndingSignal(listener: (signal: EndingSignal) => void): () => void {
  const heard = heardSignals().map(([signal]) => signal)
  // Node adds the number of the signal.
  const hear = (signal: NodeJS.Signals): void => listener(signal as EndingSignal)
  for (const signal of heard) process.on(signal, hear)
  return () => {
    for (const signal of heard) process.off(signal, hear)
  }
}
