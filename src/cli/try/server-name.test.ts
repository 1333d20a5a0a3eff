import { expect, test } from 'vitest'
import { reachOf } from '../../domain/servers/reach.ts'
import { serverNameOf } from './try-command.ts'

test.each([
  ['npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio', 'server-everything'],
  ['node build/index.js', 'weather'],
  ['node /home/me/my-server/build/index.js stdio', 'my-server'],
  ['uvx mcp-server-git --repository .', 'mcp-server-git'],
  ['uv run server.py', 'weather'],
  ['./dist/weather-server', 'weather-server'],
  ['/opt/bin/my-server --flag', 'my-server'],
  ['node', 'node'],
  ['https://mcp.example:8080/mcp', 'mcp.example:8080'],
])('%s is called %s', (typed, name) => {
  const reach = reachOf(typed)
  expect(typeof reach === 'string' ? reach : serverNameOf(reach, '/home/me/weather')).toBe(name)
})
