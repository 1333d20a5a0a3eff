/** Longest name of a tool that every provider takes. */
const MAX_LENGTH = 64

export type ServerTool = { serverName: string; toolName: string }

/**
 * A name for each tool that no other has and every provider takes: the tool's own where it is free, else with its
 * server's before it, else with a number behind it. The same tools in the same order get the same names.
 */
export function nameTools<T extends ServerTool>(tools: readonly T[]): Map<string, T> {
  const own = Map.groupBy(tools, ({ toolName }) => clean(toolName))
  const named = new Map<string, T>()
  for (const tool of tools) {
    const plain = clean(tool.toolName)
    const wanted = own.get(plain)?.length === 1 ? plain : clean(`${tool.serverName}__${tool.toolName}`)
    named.set(
      firstFree(wanted, name => named.has(name) || (name !== plain && own.has(name))),
      tool,
    )
  }
  return named
}

function clean(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_LENGTH) || '_'
}

function firstFree(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let number = 2; isTaken(name); number += 1) {
    const ending = `_${number}`
    name = wanted.slice(0, MAX_LENGTH - ending.length) + ending
  }
  return name
}
