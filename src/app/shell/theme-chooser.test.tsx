import { expect, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { projectsRoute } from '../../screens/projects/route.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

test('everything is shown in the selected theme, Esc restores the previous one and Enter keeps it', async () => {
  const shown: string[] = []
  const kept: string[] = []
  const app = await openApp({
    place: projectsRoute.to({}),
    themes: {
      choices: ['auto', 'nord', 'mine'].map(name => ({ name, about: `what ${name} is` })),
      current: () => shown.at(-1) ?? 'auto',
      show: name => void shown.push(name),
      keep: async name => {
        kept.push(name)
        if (name === 'mine') throw new Error('The disk is full.')
        return '/a/config.yaml'
      },
    },
  })
  await app.press(appKeys.bindings.theme)
  await app.see('▌auto')
  await app.press('down')
  await app.see('▌nord')
  expect(shown.at(-1)).toBe('nord')
  await app.press('escape')
  expect(shown.at(-1)).toBe('auto')
  expect(kept).toEqual([])

  await app.press(appKeys.bindings.theme, 'down', 'enter')
  await app.see('Theme nord, kept in /a/config.yaml.')
  await app.press(appKeys.bindings.theme, 'down', 'enter')
  await app.see('Theme mine until you quit; it could not be kept: The disk is full.')
  expect(kept).toEqual(['nord', 'mine'])
  await app.close()
})

test('the theme chooser says if the terminal shows no colors', async () => {
  const app = await openApp({ place: projectsRoute.to({}) })
  await app.press(appKeys.bindings.theme)
  await app.see('There are no colours here.')
  await app.close()
})
