import type { Migration } from '@cairn/service'

/**
 * Indexes the names of uploads for search. Rows that exist are indexed in the background; until then they are listed by
 * `upload_unindexed`.
 */
export const indexNames: Migration = {
  name: '0018_index-names',
  change: 'expand',
  statements: ({ kind }) =>
    kind === 'sqlite'
      ? [
          'alter table upload add column search_number integer',
          'create unique index upload_indexed on upload (search_number) where search_number is not null',
          'create index upload_unindexed on upload (address) where search_number is null',
          // Holds no text: the tokens of each upload, by its number.
          "create virtual table upload_search using fts5 (tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')",
          `create trigger upload_search_delete after delete on upload when old.search_number is not null
            begin delete from upload_search where rowid = old.search_number; end`,
          // A row that was renamed without its index counts as one that is not indexed.
          `create trigger upload_search_rename after update of name on upload
            when old.search_number is not null and new.name <> old.name
            begin
              delete from upload_search where rowid = old.search_number;
              update upload set search_number = null where id = old.id;
            end`,
        ]
      : [
          'alter table upload add column search_tokens integer[]',
          'create index upload_indexed on upload using gin (search_tokens) where search_tokens is not null',
          'create index upload_unindexed on upload (address) where search_tokens is null',
          // A replica of the version before renames rows without their index: they count as not indexed.
          `create function upload_search_rename() returns trigger language plpgsql as $$
            begin new.search_tokens := null; return new; end $$`,
          `create trigger upload_search_rename before update of name on upload for each row
            when (new.name <> old.name) execute function upload_search_rename()`,
        ],
}
