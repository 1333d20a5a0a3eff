import { useRouter } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'
import { DetailTabs, type Tab } from '../../components/detail-tabs.tsx'
import { BelowNotices } from '../../components/below-notices.tsx'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { Calls } from './calls.tsx'
import { Doctor } from './doctor.tsx'
import { Overview } from './overview.tsx'
import { Prompts } from './prompts.tsx'
import { Resources } from './resources.tsx'
import type { TabProps } from './tab.ts'
import { Tools } from './tools.tsx'

const TABS = [
  { id: 'overview', title: 'Overview', Content: Overview },
  { id: 'doctor', title: 'Doctor', Content: Doctor },
  { id: 'tools', title: 'Tools', Content: Tools },
  { id: 'prompts', title: 'Prompts', Content: Prompts },
  { id: 'resources', title: 'Resources', Content: Resources },
  { id: 'calls', title: 'Calls', Content: Calls },
] as const

export type ServerTab = (typeof TABS)[number]['id']

export function tabOf(text: string | undefined): ServerTab {
  return TABS.find(tab => tab.id === text)?.id ?? 'overview'
}

/** One server with its tabs; only the open one reads anything. */
export function ServerPane(props: TabProps & { tab: ServerTab }) {
  const { tab, ...content } = props
  const router = useRouter()
  const notices = useOpenWriteNotices({ ids: { serverId: props.server.id } })
  const tabs = TABS.map(({ id, title, Content }): Tab<ServerTab> => ({
    id,
    title,
    render: () => <Content key={id} {...content} />,
  }))
  return (
    <Pane title={clean(props.server.name)} focused={props.focused}>
      <BelowNotices notices={notices}>
        <DetailTabs tabs={tabs} current={tab} onChange={id => router.replace({ tab: id })} />
      </BelowNotices>
    </Pane>
  )
}
