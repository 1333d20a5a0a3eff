import { expect, test } from 'vitest'
import { createGraphics, type Graphics } from './graphics.ts'

const NAME = '\u001bP>|kitty(0.40.0)\u001b\\'
const TAKEN = '\u001b_Gi=31;OK\u001b\\'
const room = { columns: 60, rows: 20 }
const size = { width: 400, height: 200 }
const picture = () => ({ ...size, deflated: 'QUJD' })

/** Creates graphics on a screen that records its output, with these answers of the terminal. */
function stage({ asks = true, replies = [NAME, TAKEN] } = {}) {
  let sent = ''
  let reply: (sequence: string) => boolean = () => false
  let enter = (): void => {}
  const graphics: Graphics = createGraphics({
    asks,
    control: text => void (sent += text),
    onReply: listener => void (reply = listener),
    onEnter: listener => void (enter = listener),
  })
  graphics.ask()
  for (const each of replies) reply(each)
  /** Returns the output since the last call, without pixels. */
  const news = (): string => {
    const now = sent.replaceAll('\u001b\\', '').split('\u001b_G').slice(1).join(' ')
    sent = ''
    return now
  }
  news()
  return { graphics, news, enter: () => enter() }
}

test('a picture is sent once, and placed again if its room changes', () => {
  const { graphics, news } = stage()
  const one = picture()
  expect(graphics.draw(one, size, room)).toHaveLength(11)
  expect(news()).toMatch(/^a=t,.*,i=(\d+),m=0;QUJD a=p,U=1,q=2,i=\1,p=1,c=44,r=11$/)
  graphics.draw(one, size, room)
  expect(news()).toBe('')
  expect(graphics.draw(one, size, { columns: 20, rows: 20 })).toHaveLength(5)
  expect(news()).toMatch(/^a=p,U=1,q=2,i=\d+,p=1,c=20,r=5$/)
})

test('a terminal that was used by another program gets the pictures again, and the oldest are dropped', () => {
  const { graphics, news, enter } = stage()
  for (let count = 0; count < 13; count += 1) graphics.draw(picture(), size, room)
  expect(news().match(/a=d,d=I/g)).toHaveLength(1)
  enter()
  expect(news().match(/a=t/g)).toHaveLength(12)
})

test.each([
  ['that names another program', { replies: ['\u001bP>|tmux 3.4\u001b\\', TAKEN.replace('OK', 'ENOTSUP')] }],
  ['that says nothing', { replies: [] }],
  ['that must not be asked', { asks: false, replies: [] }],
])('a terminal that %s gets no picture', (_, options) => {
  const { graphics, news } = stage(options)
  expect(graphics.draw(picture(), size, room)).toBeUndefined()
  expect(news()).toBe('')
})
