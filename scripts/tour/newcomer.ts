import { Chapter, openOnTheDay } from './recorder.ts'

/** The way of somebody who never saw it: from the first screen to a failed case and its rerun. */
export async function newcomer(home: string): Promise<Chapter> {
  const chapter = new Chapter('First minutes', 'A fresh home, nothing configured, 100×30.')
  await using terminal = openOnTheDay({ cols: 100, rows: 30, home })
  await chapter.stop(terminal, {
    title: 'Projects',
    words: 'What opens first.',
    until: /Eval suites +2[^]*read swarms/,
    rows: 20,
  })
  await chapter.stop(terminal, {
    title: 'Doctor',
    words: 'The servers of the project; the doctor tells every step with its time.',
    keys: ['enter', /a program over stdio/, 'd'],
    until: /✓ ready/,
    picture: 'doctor',
  })
  await chapter.stop(terminal, {
    title: 'Help',
    words: 'Anywhere: what works here, and why something does not.',
    keys: ['?'],
    until: 'What works here',
    rows: 20,
  })
  await chapter.stop(terminal, {
    title: 'A tool is called',
    words: 'The tools of the live server; the arguments of one as a form.',
    keys: ['escape', /everything +stdio/, ']', /Message to echo/, 'tab', 'enter'],
    until: 'Call echo on everything',
    rows: 22,
  })
  await chapter.stop(terminal, {
    title: 'Its result',
    words: 'It is sent once, and the result is what the server answered.',
    keys: [{ text: 'hello' }, 'ctrl+s'],
    until: terminal => /Echo: hello/.test(terminal.screen()) && !/stop waiting/.test(terminal.screen()),
    rows: 16,
  })
  await chapter.stop(terminal, {
    title: 'Launching',
    words: 'What can be chosen, what it will run and occupy; `Enter` goes straight to the last line.',
    keys: ['escape', '4', /This suite has not run yet/, 'E'],
    until: 'Launch 15 trials',
  })
  await chapter.stop(terminal, {
    title: 'Live',
    words: 'The run opens; trials change as they run, failing ones first.',
    keys: ['enter', 'enter'],
    until: /8\/9[^]*● running +Long operation/,
    picture: 'live',
  })
  await chapter.stop(terminal, {
    title: 'Why it failed',
    words: 'Expected and actual of the failing trial.',
    keys: ['enter'],
    until: 'expected final text',
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
      'A suite that ran every night, in a fresh home: which case turned red when, and which one is flaky. `Enter` opens that trial.',
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
