import { Chapter, openOnTheDay } from './recorder.ts'

/** The way of somebody who never saw it: from the first screen to a failed case and its rerun. */
export async function newcomer(home: string): Promise<Chapter> {
  const chapter = new Chapter('First minutes', 'A fresh home, nothing configured, 100×30.')
  await using terminal = openOnTheDay({ cols: 100, rows: 30, home })
  await chapter.stop(terminal, {
    title: 'Projects',
    words: 'The first screen.',
    until: /Eval suites +2[^]*read swarms/,
  })
  await chapter.stop(terminal, {
    title: 'Doctor',
    words: 'The servers of the project. The doctor reports every step with its time.',
    keys: ['enter', /a program over stdio/, 'd'],
    until: /✓ ready/,
    picture: 'doctor',
  })
  await chapter.stop(terminal, {
    title: 'Help',
    words: 'The keys that work here, and why others do not.',
    keys: ['?'],
    until: 'What works here',
  })
  await chapter.stop(terminal, {
    title: 'Calling a tool',
    words: 'The tools of the running server, and a form for the arguments of one.',
    keys: ['escape', /everything +stdio/, ']', /Message to echo/, 'tab', 'enter'],
    until: 'Call echo on everything',
  })
  await chapter.stop(terminal, {
    title: 'The result',
    words: 'The call is sent once; the pane shows the server’s answer.',
    keys: [{ text: 'hello' }, 'ctrl+s'],
    until: terminal => /Echo: hello/.test(terminal.screen()) && !/stop waiting/.test(terminal.screen()),
  })
  await chapter.stop(terminal, {
    title: 'Launching',
    words: 'The choices, what will run, and the slots that it takes. `Enter` moves to the last line.',
    keys: ['escape', '4', /This suite has not run yet/, 'E'],
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
  await chapter.stop(terminal, {
    title: 'Rerun',
    words: 'The preview counts cases and trials.',
    keys: ['escape', /#1 +✗ failed/, 'R'],
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
