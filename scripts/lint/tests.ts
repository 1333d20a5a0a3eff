import type { RuleTester } from 'oxlint/plugins-dev'

type Rule = Parameters<RuleTester['run']>[1]
/** A node of the tree as these rules look at it. */
type Node = { type: string; range: [number, number]; start: number; end: number; parent?: Node | null } & Record<
  string,
  unknown
>
type Call = Node & { callee: Node; arguments: Node[] }

const nodeOf = (value: unknown): Node => value as Node

/** The name of an identifier, or of the property that a member expression reads. */
function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === 'MemberExpression') return nameOf(nodeOf(node['property']))
  return node?.type === 'Identifier' ? (node['name'] as string) : undefined
}

/** Whether a call waits with Vitest's own means: `expect.poll`, `vi.waitFor` or `vi.waitUntil`. */
function isVitestWait({ callee }: Call): boolean {
  if (callee.type !== 'MemberExpression') return false
  const wait = `${nameOf(nodeOf(callee['object']))}.${nameOf(callee)}`
  return wait === 'expect.poll' || wait === 'vi.waitFor' || wait === 'vi.waitUntil'
}

/** Whether an argument is `PATIENCE`, or an object that begins with it. */
function isPatience(node: Node | undefined): boolean {
  if (node?.type !== 'ObjectExpression') return nameOf(node) === 'PATIENCE'
  const properties = node['properties'] as Node[]
  const names = properties.map(property => nameOf(nodeOf(property['key'])))
  return nameOf(nodeOf(properties[0]?.['argument'])) === 'PATIENCE' && !names.includes('timeout')
}

/** Waits last as long as a slow and busy machine may need, which is said in one place. */
export const patienceRule = {
  create(context) {
    return {
      CallExpression(node) {
        const call = node as unknown as Call
        if (isVitestWait(call) && !isPatience(call.arguments[1]))
          context.report({ node, message: 'wait with PATIENCE of test/patience.ts, or { ...PATIENCE, interval }' })
      },
    }
  },
} satisfies Rule
