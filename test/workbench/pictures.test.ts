import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'
import { watchUnasked } from '../pty/unasked.ts'
import { realServers } from './real-servers.ts'

/** The first two cells of a picture. */
const PICTURE_CELLS = '\u{10eeee}\u0305\u0305\u{10eeee}\u0305\u030D'

test('the picture of a call is drawn in blocks, or by the terminal itself if it says that it can', async () => {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const { command } = realServers(home).find(({ name }) => name === 'everything')!
  const terminal = openTerminal({ home, args: ['try', '--', ...command], cols: 80, rows: 24 })
  onTestFinished(() => terminal.close())
  const unasked = watchUnasked(terminal, 'dashboard', { draws: true })
  await terminal.waitFor('17 listed')
  terminal.type('/tiny')
  await terminal.waitFor(/▌get-tiny-image[^]*Takes no arguments/)
  terminal.press('enter')
  terminal.press('enter')
  await terminal.waitFor(/20×20 pixels[^]*▀{20}/)
  await terminal.waitFor(({ output }) => output.includes('\u001B[>q'))
  expect(terminal.output).not.toContain('\u001B_G')
  terminal.type('\u001BP>|kitty(0.35.2)\u001B\\')
  await terminal.waitFor(({ output }) => output.includes('a=q'))
  terminal.type('\u001B[6;20;10t\u001B_Gi=31;OK\u001B\\')
  // Despite its size it takes eight rows of cells with ten by twenty pixels.
  await terminal.waitFor(PICTURE_CELLS)
  expect(terminal.screen()).not.toContain('▀')
  expect(terminal.output).toMatch(
    /\u001B_Ga=t,q=2,f=32,o=z,s=20,v=20,i=(\d+),m=0;[^]*\u001B_Ga=p,U=1,q=2,i=\1,p=1,c=16,r=8/,
  )
  terminal.type('G')
  await terminal.waitFor('▌▸ As received')
  terminal.type('k')
  await terminal.waitFor('▌  The image above')
  terminal.resize(100, 30)
  terminal.type('k')
  await terminal.waitFor(/▌ +\u{10eeee}/u)
  terminal.type('w')
  await terminal.waitFor('readable only by you')
  const file = join(home, 'logo.png')
  terminal.press('ctrl+u')
  terminal.type(file)
  terminal.press('enter')
  await terminal.waitFor('Wrote ')
  expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG')
  terminal.type('q')
  await terminal.waitFor(/▌get-tiny-image/)
  expect(terminal.screen()).not.toContain('\u{10eeee}')
  expect(unasked()).toEqual([])
})
