import type { RuleTester } from 'oxlint/plugins-dev'

type Rule = Parameters<RuleTester['run']>[1]
type Span = { range: [number, number]; start: number; end: number }
/** A syntax node as these rules use it. */
type Node = Span & { type: string; parent?: Node | null } & Record<string, unknown>
type Call = Node & { callee: Node; arguments: Node[] }

const FUNCTION = /^(?:ArrowFunction|Function)Expression$/

const nodeOf = (value: unknown): Node => value as Node

/** Returns the name of an identifier, or of the property that a member expression reads. */
function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === 'MemberExpression') return nameOf(nodeOf(node['property']))
  return node?.type === 'Identifier' ? (node['name'] as string) : undefined
}

/** Whether a call is one of Vitest's own waits: `expect.poll`, `vi.waitFor` or `vi.waitUntil`. */
function isVitestWait({ callee }: Call): boolean {
  if (callee.type !== 'MemberExpression') return false
  const wait = `${nameOf(nodeOf(callee['object']))}.${nameOf(callee)}`
  return wait === 'expect.poll' || wait === 'vi.waitFor' || wait === 'vi.waitUntil'
}

/** Whether an argument is `PATIENCE`, or an object that starts with it. */
function isPatience(node: Node | undefined): boolean {
  if (node?.type !== 'ObjectExpression') return nameOf(node) === 'PATIENCE'
  const properties = node['properties'] as Node[]
  const names = properties.map(property => nameOf(nodeOf(property['key'])))
  return nameOf(nodeOf(properties[0]?.['argument'])) === 'PATIENCE' && !names.includes('timeout')
}

/** Waits last as long as a slow and busy machine may need, which is defined in one place. */
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

/** Yields the ancestors of a node, the closest first. */
function* enclosing(node: Node): Generator<Node> {
  for (let outer = node.parent; outer; outer = outer.parent) yield outer
}

/** Returns the first argument of `new Promise` if a call is directly in it. */
function executorAround(call: Node): Node | undefined {
  const [executor, promise] = [...enclosing(call)].filter(({ type }) => FUNCTION.test(type) || type === 'NewExpression')
  const isExecutor = FUNCTION.test(executor?.type ?? '') && promise?.type === 'NewExpression'
  return isExecutor && nameOf(nodeOf(promise['callee'])) === 'Promise' ? executor : undefined
}

const noSleep =
  'wait for what must come: terminal.waitFor, until, expect.poll; a double that models a slow server ' +
  'answers with slowAnswer of test/pause.ts, and helpers look again after untilNextLook'

/** Tests wait for conditions: after a fixed time the result may be missing on a slow machine. */
export const sleepRule = {
  create(context) {
    if (context.filename.endsWith('/test/pause.ts')) return {}
    const isTest = /\.test\.tsx?$/.test(context.filename)
    return {
      ImportSpecifier(node) {
        const { source } = node.parent as unknown as { source: { value: string } }
        const name = nameOf(node.imported as unknown as Node)
        const isTimer = /^(?:node:)?timers\/promises$/.test(source.value) && name === 'setTimeout'
        if (isTimer || (isTest && name === 'untilNextLook')) context.report({ node, message: noSleep })
      },
      CallExpression(node) {
        const call = node as unknown as Call
        if (nameOf(call.callee) !== 'setTimeout') return
        const executor = executorAround(call)
        const resolve = nameOf((executor?.['params'] as Node[] | undefined)?.[0])
        // The timer of a wait that times out rejects.
        if (resolve && new RegExp(`\\b${resolve}\\b`).test(context.sourceCode.getText(node.arguments[0])))
          context.report({ node, message: noSleep })
      },
    }
  },
} satisfies Rule

/** Whether a node is in an argument of `expect` or of one of its matchers. */
function isExpected(node: Node): boolean {
  for (const outer of enclosing(node)) {
    if (outer.type !== 'CallExpression') continue
    let root = outer
    while (root.type === 'CallExpression' || root.type === 'MemberExpression')
      root = nodeOf(root[root.type === 'CallExpression' ? 'callee' : 'object'])
    if (nameOf(root) === 'expect') return true
  }
  return false
}

/** Expectations use fixed times: the machine's time advances between the two sides of a comparison. */
export const nowRule = {
  create(context) {
    const check = (node: Span) => {
      if (isExpected(node as unknown as Node))
        context.report({ node, message: 'read the clock of the test, or a time that the test has named before' })
    }
    return {
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]': check,
      'NewExpression[callee.name="Date"][arguments.length=0]': check,
    }
  },
} satisfies Rule

/** Expectations hold wherever the checkout is: its path may be long, contain spaces, or be a link. */
export const checkoutRule = {
  create(context) {
    const check = (node: Span) => {
      if (isExpected(node as unknown as Node))
        context.report({ node, message: 'expect a path relative to the repository, or read the file before' })
    }
    return {
      'MemberExpression[object.type="MetaProperty"]': check,
      'CallExpression[callee.object.name="process"][callee.property.name="cwd"]': check,
      'Identifier[name=/^(?:REPOSITORY|repository)$/]': check,
    }
  },
} satisfies Rule

const LISTENING = new Set(['listen', 'connect', 'createConnection', 'serve', 'fetch'])
const loopbackPort = /(?:127\.0\.0\.1|localhost|\[::1\]):[1-9]/

/** Whether a literal is a port to listen on or to connect to. */
function namesPort(node: Node, call: Call): boolean {
  const { parent, value } = node
  if (typeof value === 'string') return loopbackPort.test(value)
  if (typeof value !== 'number' || value === 0) return false
  return parent === call ? node === call.arguments[0] : nameOf(nodeOf(parent?.['key'])) === 'port'
}

/** Ports are assigned by the system: a fixed one may be in use, for example by a developer's mcpdeck serve. */
export const portRule = {
  create(context) {
    const message = 'listen on port 0 and use the port that the system gave'
    return {
      Literal(node) {
        const literal = node as unknown as Node
        const call = [...enclosing(literal)].find(({ type }) => type === 'CallExpression') as Call | undefined
        const isUsed = call && LISTENING.has(nameOf(call.callee) ?? '') && namesPort(literal, call)
        if (isUsed) context.report({ node, message })
      },
      ArrayExpression({ elements }) {
        for (const [at, element] of elements.entries()) {
          const before = elements[at - 1]
          const isPort = before?.type === 'Literal' && before.value === '--port' && element?.type === 'Literal'
          // Larger numbers are not ports.
          if (isPort && Number(element.value) > 0 && Number(element.value) < 65_536)
            context.report({ node: element, message })
        }
      },
    }
  },
} satisfies Rule

const MACHINE = /performance\.now\(|Date\.now\(|hrtime|eventLoopUtilization|memoryUsage|[cC]puUsage|resourceUsage|VmRSS/
const UNIT = /^(?:[KMG]i?B|SECOND|MINUTE|HOUR)$/

/** Whether a limit consists of numbers and units alone. */
function isAbsolute(node: Node): boolean {
  if (node.type === 'BinaryExpression') return isAbsolute(nodeOf(node['left'])) && isAbsolute(nodeOf(node['right']))
  return node.type === 'Literal' || UNIT.test(nameOf(node) ?? '')
}

/** Limits of time and memory are relative to what the same machine has just needed, or to a limit of the program. */
export const boundRule = {
  create(context) {
    const { sourceCode } = context
    // With fake timers, the test controls the clock.
    if (sourceCode.text.includes('useFakeTimers')) return {}
    const definitionOf = (name: string, node: Span): string => {
      type Scope = ReturnType<typeof sourceCode.getScope> | null
      let scope: Scope = sourceCode.getScope(node as Parameters<typeof sourceCode.getScope>[0])
      for (; scope; scope = scope.upper) {
        const definition = scope.set.get(name)?.defs[0]
        if (definition) return sourceCode.getText(definition.node)
      }
      return ''
    }
    return {
      'CallExpression[callee.property.name=/^toBeLess/]'(node: Span) {
        const call = node as unknown as Call
        const [bound] = call.arguments
        if (!bound || !isAbsolute(bound)) return
        const { start, end } = nodeOf(call.callee['object'])
        const given = sourceCode.text.slice(start, end)
        const names = new Set(given.match(/[A-Za-z_$][\w$]*/g))
        const sources = [given, ...[...names].map(name => definitionOf(name, node))]
        if (sources.some(source => MACHINE.test(source)))
          context.report({
            node,
            message: 'compare with measureWork, growthOfWork or measureMemory of test/work.ts, or count events',
          })
      },
    }
  },
} satisfies Rule

/** A sentence with a longer path or name wraps elsewhere, so it is searched for without its line ends. */
export const sentenceRule = {
  create(context) {
    return {
      'CallExpression[callee.property.name="toContain"] > Literal'(node: Span & { value?: unknown }) {
        const { parent } = node as unknown as Node
        const { object } = (parent as unknown as Call).callee
        const given = context.sourceCode.getText(object as Span)
        // Columns of a table have more than one blank between them.
        const isSentence = typeof node.value === 'string' && / \S+ /.test(node.value) && !node.value.includes('  ')
        if (isSentence && given.includes('.screen()') && !given.includes('wordsOf('))
          context.report({ node, message: 'look for a sentence in words() of the terminal, where no line ends' })
      },
    }
  },
} satisfies Rule
