// The token lists, by rank.

import { Card, Table, Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import { Known } from './plugins.js';
import type { List } from './types.js';
import { number, seconds } from './words.js';

export function Lists({ lists }: { lists: List[] }) {
  if (lists.length === 0) return <p class="note">This gateway has no token list.</p>;
  return (
    <Card>
      <Table<List>
        caption="Table of token lists"
        rows={lists}
        keyOf={({ number: rank }) => String(rank)}
        columns={[
          { title: 'List', cell: ({ number: rank, place }) => <>{rank}. <Words of={place} max={80} /></> },
          { title: 'State', cell: ({ error, version }) => (error === null ? <Tag kind={version === null ? 'warn' : 'good'}>{version === null ? 'not read yet' : 'read'}</Tag> : <><Tag kind="bad">failed</Tag><span class="reason"><Words of={error} max={160} /></span></>) },
          { title: 'Version', wide: true, cell: ({ version }) => (version === null ? <span class="unknown">–</span> : <Words of={version} />) },
          { title: 'Tokens', number: true, cell: ({ tokens }) => number(tokens) },
          { title: 'Age', number: true, cell: ({ ageSeconds }) => <Known of={ageSeconds} as={seconds} /> },
        ]}
      />
    </Card>
  );
}
