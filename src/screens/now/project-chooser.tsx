import { useState } from 'react'
import type { Project } from '../../api/contract/projects.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import type { Column } from '../../components/list/columns.ts'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { useOverlays } from '../../components/overlays.tsx'
import { nowProjectsKeys } from './bindings.ts'

type Choice = {
  all: readonly Project[]
  /** Absent = all of them. */
  chosen: readonly string[] | undefined
  onChosen: (ids: readonly string[] | undefined) => void
}

const WIDTH = 64
const ROWS_AROUND = 4

const columns: readonly Column<Project>[] = [
  { id: 'name', title: 'Project', width: 'flex', cell: project => project.name },
  { id: 'role', title: 'Role', width: 8, cell: project => ({ text: project.role ?? '', tone: 'muted' }) },
]

/** Asks which projects to look at; the marked ones, or all that the key ever reaches. */
export function useProjectChooser(): (choice: Choice) => void {
  const overlays = useOverlays()
  return choice => {
    overlays.open({
      title: 'Look at the marked projects; none marked is all of them',
      width: WIDTH,
      height: choice.all.length + ROWS_AROUND,
      content: close => <ProjectChooser {...choice} onClose={close} />,
    })
  }
}

function ProjectChooser(props: Choice & { onClose: () => void }) {
  const list = useList({ items: props.all, keyOf: projectKey, columns })
  useState(() => {
    for (const id of props.chosen ?? []) if (!list.marks.has(id)) list.marks.toggle(id)
  })
  const choose = (ids: readonly string[] | undefined): void => {
    props.onChosen(ids)
    props.onClose()
  }
  useBindings(nowProjectsKeys, {
    accept() {
      const ids = list.marked().map(projectKey)
      choose(ids.length === 0 ? undefined : ids)
    },
    all: () => choose(undefined),
    cancel: props.onClose,
  })
  return <List list={list} focused empty="This key reaches no project." />
}

function projectKey({ id }: Project): string {
  return id
}
