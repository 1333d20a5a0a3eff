/** A call that does no harm and needs neither network nor key. */
export type Call = { tool: string; args?: Readonly<Record<string, string>> }

/** A server from npm: its pinned version, and the settings that it requires to start, which are fake here. */
export type NpmServer = {
  name: string
  version: string
  /** The program that is the server, if the package has several. */
  bin?: string
  /** Its arguments; `{folder}` is an empty folder. */
  args?: readonly string[]
  /** Variables of its environment; `{folder}` is an empty folder. */
  env?: Readonly<Record<string, string>>
  call?: Call
}

/** The servers of docs/npm-servers.md. */
export const npmServers: readonly NpmServer[] = [
  {
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    args: ['stdio'],
    call: { tool: 'echo', args: { message: 'hi' } },
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    args: ['{folder}'],
    call: { tool: 'list_allowed_directories' },
  },
  { name: '@modelcontextprotocol/server-memory', version: '2026.8.31', call: { tool: 'read_graph' } },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    call: {
      tool: 'sequentialthinking',
      args: { thought: 'one', thoughtNumber: '1', totalThoughts: '1', nextThoughtNeeded: 'false' },
    },
  },
  { name: '@modelcontextprotocol/server-github', version: '2025.4.8' },
  { name: '@modelcontextprotocol/server-gitlab', version: '2025.4.25', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' } },
  {
    name: '@modelcontextprotocol/server-slack',
    version: '2025.4.25',
    env: { SLACK_BOT_TOKEN: 'xoxb-none', SLACK_TEAM_ID: 'T0' },
  },
  { name: '@modelcontextprotocol/server-puppeteer', version: '2025.5.12' },
  { name: '@modelcontextprotocol/server-brave-search', version: '0.6.2', env: { BRAVE_API_KEY: 'none' } },
  { name: '@modelcontextprotocol/server-google-maps', version: '0.6.2', env: { GOOGLE_MAPS_API_KEY: 'none' } },
  { name: '@modelcontextprotocol/server-postgres', version: '0.6.2', args: ['postgresql://localhost:1/none'] },
  { name: '@modelcontextprotocol/server-redis', version: '2025.4.25', args: ['redis://localhost:1'] },
  { name: '@modelcontextprotocol/server-everart', version: '0.6.2', env: { EVERART_API_KEY: 'none' } },
  { name: '@modelcontextprotocol/server-pdf', version: '2.0.4', args: ['--stdio'], call: { tool: 'list_pdfs' } },
  { name: '@modelcontextprotocol/server-map', version: '2.0.3', args: ['--stdio'] },
  { name: '@playwright/mcp', version: '0.0.83', args: ['--headless'], call: { tool: 'browser_close' } },
  { name: 'chrome-devtools-mcp', version: '1.11.0', bin: 'chrome-devtools-mcp', args: ['--headless'] },
  { name: '@browsermcp/mcp', version: '0.1.3' },
  { name: '@upstash/context7-mcp', version: '4.1.1' },
  { name: 'tavily-mcp', version: '0.2.22', env: { TAVILY_API_KEY: 'none' } },
  { name: 'firecrawl-mcp', version: '3.26.0', env: { FIRECRAWL_API_KEY: 'none' } },
  { name: 'exa-mcp-server', version: '3.4.1', env: { EXA_API_KEY: 'none' } },
  { name: '@notionhq/notion-mcp-server', version: '2.5.2', env: { NOTION_TOKEN: 'none' } },
  { name: 'mcp-server-kubernetes', version: '4.1.7', call: { tool: 'ping' } },
  { name: '@sentry/mcp-server', version: '0.39.0', args: ['--access-token=none'] },
  { name: '@supabase/mcp-server-supabase', version: '0.13.0', args: ['--access-token', 'sbp_none'] },
  { name: '@stripe/mcp', version: '0.3.3', args: ['--tools=all', '--api-key=rk_test_none'] },
  { name: 'figma-developer-mcp', version: '0.13.2', args: ['--stdio', '--figma-api-key=none'] },
  {
    name: '@wonderwhy-er/desktop-commander',
    version: '0.2.52',
    bin: 'desktop-commander',
    call: { tool: 'list_sessions' },
  },
  {
    name: 'mcp-server-code-runner',
    version: '0.1.8',
    call: { tool: 'run-code', args: { code: 'console.log(1)', languageId: 'javascript' } },
  },
  {
    name: 'mongodb-mcp-server',
    version: '3.0.4',
    args: ['--connectionString', 'mongodb://localhost:1/none'],
    env: { MDB_MCP_TELEMETRY: 'disabled' },
    call: { tool: 'list-connections' },
  },
  {
    name: '@elastic/mcp-server-elasticsearch',
    version: '0.3.1',
    env: { ES_URL: 'http://localhost:1', ES_API_KEY: 'none' },
    call: { tool: 'list_indices', args: { indexPattern: '*' } },
  },
  { name: '@shopify/dev-mcp', version: '1.16.0', env: { OPT_OUT_INSTRUMENTATION: 'true' } },
  { name: '@antv/mcp-server-chart', version: '0.9.10' },
  { name: '@magicuidesign/mcp', version: '2.0.0' },
  {
    name: '@sylphlab/pdf-reader-mcp',
    version: '0.3.23',
    call: { tool: 'read_pdf', args: { sources: '[{"path":"none.pdf"}]' } },
  },
  {
    name: '@benborla29/mcp-server-mysql',
    version: '2.0.9',
    env: { MYSQL_HOST: '127.0.0.1', MYSQL_PORT: '1', MYSQL_USER: 'none', MYSQL_PASS: 'none', MYSQL_DB: 'none' },
  },
  {
    name: '@tokenizin/mcp-npx-fetch',
    version: '1.0.0',
    call: { tool: 'fetch_html', args: { url: 'http://127.0.0.1:1/' } },
  },
  {
    name: '@cyanheads/git-mcp-server',
    version: '2.15.3',
    call: { tool: 'git_wrapup_instructions', args: { acknowledgement: 'yes' } },
  },
  { name: 'obsidian-mcp', version: '2.0.1', args: ['{folder}'] },
  { name: '@21st-dev/magic', version: '0.2.3', env: { API_KEY: 'none' } },
  { name: '@apify/actors-mcp-server', version: '0.16.0', env: { APIFY_TOKEN: 'none' } },
  { name: 'airtable-mcp-server', version: '1.14.0', env: { AIRTABLE_API_KEY: 'pat.none' } },
  { name: 'linear-mcp-server', version: '0.1.0', env: { LINEAR_API_KEY: 'none' } },
  { name: '@kazuph/mcp-fetch', version: '1.6.3', call: { tool: 'imageFetch', args: { url: 'http://127.0.0.1:1/' } } },
  { name: '@eslint/mcp', version: '0.3.13', call: { tool: 'lint-files', args: { filePaths: '["/none.js"]' } } },
  { name: '@sveltejs/mcp', version: '0.1.26' },
  { name: '@mui/mcp', version: '0.1.6' },
  { name: '@currents/mcp', version: '2.1.1', env: { CURRENTS_API_KEY: 'none' } },
  { name: '@hubspot/mcp-server', version: '0.4.0', env: { PRIVATE_APP_ACCESS_TOKEN: 'pat-none' } },
  { name: '@circleci/mcp-server-circleci', version: '0.20.0', env: { CIRCLECI_TOKEN: 'none' } },
  { name: '@perplexity-ai/mcp-server', version: '1.2.1', env: { PERPLEXITY_API_KEY: 'none' } },
  { name: '@brave/brave-search-mcp-server', version: '2.1.4', env: { BRAVE_API_KEY: 'none' } },
  {
    name: '@mapbox/mcp-server',
    version: '0.14.0',
    env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1Ijoibm9uZSJ9.none' },
    call: { tool: 'distance_tool', args: { from: '{"longitude":1,"latitude":1}', to: '{"longitude":2,"latitude":2}' } },
  },
  { name: '@pinecone-database/mcp', version: '0.3.0', env: { PINECONE_API_KEY: 'none' } },
  { name: '@postman/postman-mcp-server', version: '2.13.0', env: { POSTMAN_API_KEY: 'PMAK-none' } },
  { name: '@launchdarkly/mcp-server', version: '0.6.2', args: ['start', '--api-key', 'none'] },
  { name: '@gongrzhe/server-gmail-autoauth-mcp', version: '1.1.11' },
  { name: 'mcp-hello-world', version: '1.1.2', call: { tool: 'echo', args: { message: 'hi' } } },
  { name: 'time-mcp', version: '1.0.6', call: { tool: 'current_time', args: { format: 'YYYY-MM-DD' } } },
  { name: 'mcp-server-sqlite-npx', version: '0.8.0', args: ['{folder}/data.db'], call: { tool: 'list_tables' } },
  { name: '@executeautomation/database-server', version: '1.1.0', args: ['{folder}/data.db'] },
  { name: '@openbnb/mcp-server-airbnb', version: '0.3.0' },
  {
    name: 'mcp-shrimp-task-manager',
    version: '1.0.21',
    env: { DATA_DIR: '{folder}' },
    call: { tool: 'list_tasks', args: { status: 'all' } },
  },
  { name: '@azure-devops/mcp', version: '2.10.0', args: ['none'] },
  { name: '@drawio/mcp', version: '1.6.1', call: { tool: 'search_shapes', args: { query: 'box' } } },
  { name: '@negokaz/excel-mcp-server', version: '0.12.0' },
]
