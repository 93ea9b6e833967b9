import type { Migration } from '@cairn/service'

/** The open challenge of a provider, so that the same one is repeated, even after a restart. */
export const keepOpenChallenges: Migration = {
  name: '0011_keep-open-challenges',
  change: 'expand',
  statements: ({ integer, text }) => [
    `alter table deal add column challenge_nonce ${text}`,
    `alter table deal add column challenge_source ${text}`,
    `alter table deal add column silent_since ${integer}`,
  ],
}
