import type { ReactNode } from 'react'
import { useRouter } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'
import { DetailTabs, type Tab } from '../../components/detail-tabs.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Access } from './access.tsx'
import { Findings, Gated, Metrics, Signals, Usage } from './measures.tsx'
import { Overview } from './overview.tsx'
import { Sessions } from './sessions.tsx'
import type { TabProps } from './tab.ts'

type Declared = { id: string; title: string; isGated: boolean; Content: (props: TabProps) => ReactNode }

const TABS = [
  { id: 'overview', title: 'Overview', isGated: false, Content: Overview },
  { id: 'access', title: 'Access', isGated: false, Content: Access },
  { id: 'sessions', title: 'Sessions', isGated: true, Content: Sessions },
  { id: 'metrics', title: 'Metrics', isGated: true, Content: Metrics },
  { id: 'usage', title: 'Usage', isGated: true, Content: Usage },
  { id: 'signals', title: 'Signals', isGated: true, Content: Signals },
  { id: 'findings', title: 'Findings', isGated: true, Content: Findings },
] as const satisfies readonly Declared[]

export type ScenarioTab = (typeof TABS)[number]['id']

export function tabOf(text: string | undefined): ScenarioTab {
  return TABS.find(tab => tab.id === text)?.id ?? 'overview'
}

/** One scenario with its tabs; only the open one reads anything. */
export function ScenarioPane(props: TabProps & { tab: ScenarioTab }) {
  const { tab, ...content } = props
  const router = useRouter()
  const tabs = TABS.map(({ id, title, isGated, Content }): Tab<ScenarioTab> => ({
    id,
    title,
    render: () => (
      <Gated isClosed={isGated && props.isClosed}>
        <Content key={id} {...content} />
      </Gated>
    ),
  }))
  return (
    <Pane title={clean(props.row.scenario.name)} focused={props.focused}>
      <DetailTabs
        tabs={tabs}
        current={tab}
        onChange={id => router.replace({ tab: id, sessionId: undefined })}
      />
    </Pane>
  )
}
