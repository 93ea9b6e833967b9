import { useState } from 'react'
import { Inbox } from '#icons'
import { LinkList } from '../links/LinkList.tsx'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { CreateUploadLinkDialog } from './CreateUploadLinkDialog.tsx'
import { OwnUploadLinks } from './OwnUploadLinks.tsx'

/** All links of the account: those that let others send files into it, and those that open its files. */
export function LinksPage() {
  const [isCreating, setCreating] = useState(false)
  return (
    <div className="flex w-full flex-1 flex-col gap-8">
      <div>
        <PageHeader title={messages.pages.links} hint={messages.ownUploadLinks.hint}>
          <Button kind="primary" onClick={() => setCreating(true)}>
            <Inbox aria-hidden="true" size={16} />
            {messages.ownUploadLinks.create}
          </Button>
        </PageHeader>
        <section aria-labelledby="upload-links">
          <h2 id="upload-links" className="mb-2 font-semibold">
            {messages.ownUploadLinks.title}
          </h2>
          <OwnUploadLinks />
        </section>
      </div>
      <section aria-labelledby="file-links">
        <h2 id="file-links" className="mb-2 font-semibold">
          {messages.links.titleAll}
        </h2>
        <LinkList />
      </section>
      {isCreating ? <CreateUploadLinkDialog onClose={() => setCreating(false)} /> : undefined}
    </div>
  )
}
