import type { Migration } from '@cairn/service'

/** The challenge that a provider has not answered yet, so that it is asked the same one again, also after a restart. */
export const keepOpenChallenges: Migration = {
  name: '0011_keep-open-challenges',
  statements: ({ integer, text }) => [
    `alter table deal add column challenge_nonce ${text}`,
    `alter table deal add column challenge_source ${text}`,
    `alter table deal add column silent_since ${integer}`,
  ],
}
