import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Column } from '../../components/list/columns.ts'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { useOverlays } from '../../components/overlays.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { themeKeys } from './app-keys.ts'
import type { PaletteEntry } from './palette-entries.ts'

type ThemeEntry = { name: string; about: string }

/** The themes available on this terminal. */
export type Themes = {
  choices: readonly ThemeEntry[]
  current: () => string
  /** Draws everything in this theme from now on. */
  show: (name: string) => void
  /** Saves the theme for the next start; returns where. @throws if it cannot be written */
  keep: (name: string) => Promise<string>
}

const WIDTH = 72
const ROWS_AROUND = 4

const columns: readonly Column<ThemeEntry>[] = [
  { id: 'name', title: 'Theme', width: 22, cell: ({ name }) => name },
  { id: 'about', title: 'What it is', width: 'flex', cell: ({ about }) => ({ text: about, tone: 'muted' }) },
]

/** Opens the list of themes, which draws everything in the highlighted one. */
export function useThemeChooser(themes: Themes | undefined): KeyHandler | Unavailable {
  const overlays = useOverlays()
  if (themes === undefined) return unavailable('There are no colours here.')
  return () => {
    overlays.open({
      title: 'Theme: everything shows in the chosen one',
      width: WIDTH,
      height: themes.choices.length + ROWS_AROUND,
      content: close => <ThemeChooser themes={themes} onClose={close} />,
    })
  }
}

/** Returns the themes by name for the palette; none without colors. */
export function useThemeEntries(themes: Themes | undefined): PaletteEntry[] {
  const keep = useKeepTheme(themes)
  return (themes?.choices ?? []).map(({ name, about }) => ({
    id: name,
    name,
    about,
    detail: 'theme',
    choose() {
      themes?.show(name)
      void keep(name)
    },
  }))
}

/** Saves the current theme for the next start, and says where. */
function useKeepTheme(themes: Themes | undefined): (name: string) => Promise<void> {
  const toasts = useToasts()
  return async name => {
    try {
      toasts.show('ok', `Theme ${name}, kept in ${await themes?.keep(name)}.`)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      toasts.show('error', `Theme ${name} until you quit; it could not be kept: ${why}`)
    }
  }
}

function ThemeChooser({ themes, onClose }: { themes: Themes; onClose: () => void }) {
  const keep = useKeepTheme(themes)
  const [before] = useState(themes.current)
  const list = useList({ items: themes.choices, keyOf: themeName, columns, initialKey: before })
  const index = useSyncExternalStore(list.selection.subscribe, list.selection.index)
  const name = list.items[index]?.name ?? before
  useEffect(() => themes.show(name), [themes, name])
  useBindings(themeKeys, {
    accept() {
      onClose()
      void keep(name)
    },
    cancel() {
      themes.show(before)
      onClose()
    },
  })
  return <List list={list} focused empty="There is no theme." />
}

function themeName({ name }: ThemeEntry): string {
  return name
}
