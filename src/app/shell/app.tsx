import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { useWindowSize } from 'ink'
import type { ReactNode } from 'react'
import { BrowserProvider } from '../../components/browser.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { CopyProvider } from '../../components/copy.tsx'
import { CrumbsProvider } from '../../components/crumbs.tsx'
import { EditorProvider } from '../../components/editor/use-editor.tsx'
import { RegionsProvider, type Regions } from '../../components/regions.tsx'
import { PointerProvider } from '../../components/mouse-areas.tsx'
import { OverlaysProvider } from '../../components/overlays.tsx'
import { SizeProvider, type Size } from '../../components/size.tsx'
import { SubjectProvider } from '../../components/subject.tsx'
import { ToastsProvider, type Toasts } from '../../components/toasts.tsx'
import { NotifyProvider } from '../../hooks/notify.tsx'
import { TasksProvider } from '../../hooks/tasks.tsx'
import { ConfirmProvider } from '../../hooks/use-write.tsx'
import { useSlowFactor } from '../../hooks/use-cadence.ts'
import { WorkspaceProvider, type Workspace } from '../../hooks/workspace.tsx'
import type { Dispatcher } from '../../tui/keymap/dispatcher.ts'
import { KeymapProvider, type WidgetFeed } from '../../tui/keymap/keymap-context.tsx'
import type { Router } from '../../tui/router/router.ts'
import { RouterProvider } from '../../tui/router/router-context.tsx'
import type { Pointer } from '../../tui/terminal/pointer.ts'
import { MotionProvider } from '../../tui/theme/motion-context.tsx'
import { ThemeProvider } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import type { LoadedScreen } from '../registry.ts'
import { Shell, type ShellActions } from './shell.tsx'

export type AppParts = {
  workspace: Workspace
  queryClient: QueryClient
  router: Router
  dispatcher: Dispatcher
  feed: WidgetFeed
  theme: Theme
  toasts: Toasts
  screens: readonly LoadedScreen[]
  actions: ShellActions
  /** The project that the person asked for at the start, by id or name. */
  project?: string | undefined
  /** Where lists paint without Ink; absent in component tests. */
  regions?: Regions
  /** Routes the mouse; absent if there is none. */
  pointer?: Pointer
  /** Whether nothing spins or flashes. */
  reducedMotion?: boolean
  /** Fixed in component tests; otherwise the size of the terminal. */
  size?: Size
}

/** Shows the whole program inside the terminal: provides everything shared once, then the shell. */
export function App(props: AppParts) {
  return (
    <ThemeProvider theme={props.theme}>
      <KeymapProvider dispatcher={props.dispatcher} feed={props.feed}>
        <RouterProvider router={props.router} routes={props.screens.map(({ route }) => route)}>
          <QueryClientProvider client={props.queryClient}>
            <WorkspaceProvider workspace={props.workspace}>
              <Moving still={props.theme.plain || (props.reducedMotion ?? false)}>
                <NotifyProvider notify={props.toasts.show}>
                  <TasksProvider onBegin={props.toasts.clear}>
                    <ToastsProvider toasts={props.toasts}>
                      <CopyProvider copy={props.actions.copy}>
                        <BrowserProvider open={props.actions.openBrowser} openFile={props.actions.openFile}>
                          <CrumbsProvider>
                            <SubjectProvider>
                              <OverlaysProvider onOpen={props.toasts.settle}>
                                <EditorProvider host={props.actions.editor}>
                                  <RegionsProvider regions={props.regions}>
                                    <PointerProvider pointer={props.pointer}>
                                      <Sized {...(props.size && { size: props.size })}>
                                        <Confirmed>
                                          <Shell
                                            actions={props.actions}
                                            screens={props.screens}
                                            project={props.project}
                                          />
                                        </Confirmed>
                                      </Sized>
                                    </PointerProvider>
                                  </RegionsProvider>
                                </EditorProvider>
                              </OverlaysProvider>
                            </SubjectProvider>
                          </CrumbsProvider>
                        </BrowserProvider>
                      </CopyProvider>
                    </ToastsProvider>
                  </TasksProvider>
                </NotifyProvider>
              </Moving>
            </WorkspaceProvider>
          </QueryClientProvider>
        </RouterProvider>
      </KeymapProvider>
    </ThemeProvider>
  )
}

function Moving(props: { still: boolean; children: ReactNode }) {
  const isSlowOrAway = useSlowFactor() > 1
  return <MotionProvider value={!props.still && !isSlowOrAway}>{props.children}</MotionProvider>
}

function Confirmed(props: { children: ReactNode }) {
  return <ConfirmProvider confirm={useConfirm()}>{props.children}</ConfirmProvider>
}

function Sized(props: { size?: Size; children: ReactNode }) {
  const { columns, rows } = useWindowSize()
  return (
    <SizeProvider width={props.size?.width ?? columns} height={props.size?.height ?? rows}>
      {props.children}
    </SizeProvider>
  )
}
