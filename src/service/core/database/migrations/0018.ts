/** Whether a turn read what others wrote; of those before nobody knows. */
export const agentTurnOrigins = 'ALTER TABLE agentTurn ADD COLUMN hasOutside INTEGER NOT NULL DEFAULT 1'
