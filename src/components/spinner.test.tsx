import { render } from 'ink-testing-library'
import { expect, test } from 'vitest'
import { MotionProvider } from '../tui/theme/motion-context.tsx'
import type { Rectangle } from '../tui/terminal/region.ts'
import { RegionsProvider, type Regions } from './regions.tsx'
import { OverlaysProvider } from './overlays.tsx'
import { SizeProvider } from './size.tsx'
import { Spinner } from './spinner.tsx'
import { PATIENCE } from '../../test/patience.ts'

/** Records what is painted without Ink. */
function record() {
  const painted: string[] = []
  const places: Rectangle[] = []
  let open = 0
  const region: Regions['region'] = (_id, rectangle) => {
    open += 1
    places.push(rectangle)
    return { paint: lines => void painted.push(...lines), move() {}, hide() {}, close: () => void (open -= 1) }
  }
  return { painted, places, open: () => open, regions: { region } as Regions }
}

function draw(moves: boolean, { regions }: ReturnType<typeof record>) {
  return (
    <MotionProvider value={moves}>
      <OverlaysProvider onOpen={() => undefined}>
        <RegionsProvider regions={regions}>
          <SizeProvider width={20} height={1} top={7}>
            <Spinner left={3} />
          </SizeProvider>
        </RegionsProvider>
      </OverlaysProvider>
    </MotionProvider>
  )
}

test('a spinner turns in its cell without rendering, and stops once motion ends', async () => {
  const screen = record()
  const { frames, rerender, unmount, lastFrame } = render(draw(true, screen))
  await expect.poll(() => new Set(screen.painted).size, PATIENCE).toBeGreaterThan(3)
  expect(screen.places).toEqual([{ row: 7, column: 3, width: 1, height: 1 }])
  expect(frames).toEqual(['●'])
  rerender(draw(false, screen))
  await expect.poll(() => screen.open(), PATIENCE).toBe(0)
  expect(lastFrame()).toBe('●')
  unmount()
})

test('no spinner turns if motion is reduced', () => {
  const screen = record()
  const { lastFrame, unmount } = render(draw(false, screen))
  expect(screen.places).toEqual([])
  expect(lastFrame()).toBe('●')
  unmount()
})
