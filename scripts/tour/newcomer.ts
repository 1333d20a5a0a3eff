import { Chapter, openOnTheDay, press } from './recorder.ts'

/** Records a newcomer's way: from the first screen to a failed case, a tool's answer and a saved case. */
export async function newcomer(home: string): Promise<Chapter> {
  const chapter = new Chapter('First minutes', 'A fresh home, nothing configured, 100×30.')
  await using terminal = openOnTheDay({ cols: 100, rows: 30, home })
  /** Reports how many keys and seconds a way took. */
  const way = (to: string, keys: number, from: number): void => {
    const seconds = Math.ceil((performance.now() - from) / 5_000) * 5
    chapter.note(`${keys} keys to ${to}, in less than ${seconds} s with the pauses of the recording.`)
  }
  await chapter.stop(terminal, {
    title: 'Projects',
    words: 'The first screen: what can be done now, each step with its key.',
    until: /Call a tool of “everything”[^]*nightly/,
  })
  await chapter.stop(terminal, {
    title: 'Launching',
    words: 'The choices, what will run, and the slots that it takes. `Enter` moves to the last line.',
    keys: ['E'],
    until: 'Launch 15 trials',
  })
  await chapter.stop(terminal, {
    title: 'Live',
    words: 'The run opens. Trials update as they run, failed ones first.',
    keys: ['enter', 'enter'],
    until: /8\/9[^]*● running +Long operation/,
    picture: 'live',
  })
  await chapter.stop(terminal, {
    title: 'Why it failed',
    words: 'Expected and actual values of the failed trial.',
    keys: ['enter'],
    until: /\[Trial\][^]*expected final text/,
  })
  way('the reason of a failed case', 4, terminal.startedAt)
  const toolsFrom = performance.now()
  await chapter.stop(terminal, {
    title: 'A tool, two keys away',
    words: 'The tools of the running server, and a form for the arguments of the chosen one.',
    keys: ['2', /Call a tool of/, 'c', /▌echo/, 'enter'],
    until: 'Call echo on everything',
  })
  await chapter.stop(terminal, {
    title: 'The answer',
    words: 'The call is sent once; the pane shows the server’s answer.',
    keys: [{ text: 'hello' }, 'ctrl+s'],
    until: terminal => /Echo: hello/.test(terminal.screen()) && !/stop waiting/.test(terminal.screen()),
  })
  way('the answer of a tool, from the first screen and beside the text', 3, toolsFrom)
  await chapter.stop(terminal, {
    title: 'A case of it',
    words: 'The call becomes an eval case, with assertions from its answer.',
    keys: ['alt+c', /Save as eval case/, 'ctrl+s'],
    until: /goes to it/,
  })
  way('a saved case, from the first screen and beside the text', 5, toolsFrom)
  await chapter.stop(terminal, {
    title: 'Doctor',
    words: 'The doctor reports every step with its time.',
    keys: ['escape', 'd'],
    until: /✓ ready/,
    picture: 'doctor',
  })
  await chapter.stop(terminal, {
    title: 'Help',
    words: 'The keys that work here, and why others do not.',
    keys: ['?'],
    until: 'What works here',
  })
  await press(terminal, 'escape')
  await press(terminal, '4')
  await press(terminal, /Reference server smoke/)
  await chapter.stop(terminal, {
    title: 'Rerun',
    words: 'The preview counts cases and trials.',
    keys: [/#1 +✗ failed/, 'R'],
    until: '1 of 10 cases would run again',
  })
  await using weeks = openOnTheDay({ cols: 100, rows: 30, args: ['runs'] })
  await chapter.stop(weeks, {
    title: 'Heat map',
    words:
      'A suite that ran every night: when each case failed first, and which one is flaky. `Enter` opens the trial.',
    keys: [
      /▌Reference server smoke[^]*Sample: nightly/,
      'end',
      /▌Sample: nightly/,
      'enter',
      /▌Runs/,
      { times: 3, keys: [']'] },
    ],
    until: /\[Heat map\][^]*■■[^]*flaky/,
    picture: 'heat-map',
  })
  return chapter
}
