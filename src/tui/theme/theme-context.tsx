import { createContext, useContext, type ReactNode } from 'react'
import { createTheme, type Theme } from './theme.ts'

const ThemeContext = createContext<Theme>(createTheme({ level: 0, ascii: false }))

export function ThemeProvider(props: { theme: Theme; children: ReactNode }) {
  return <ThemeContext.Provider value={props.theme}>{props.children}</ThemeContext.Provider>
}

export function useTheme(): Theme {
  return useContext(ThemeContext)
}
