/** Files that published clients encrypted: they must stay readable. */
export const publishedFiles: readonly { client: string; key: string; plain: string; sealed: string }[] = [
  {
    client: '@lighthouse-web3/sdk 0.4.7',
    key: '16f9e4a7cbacdcfc8dfa47a89dc16bbb1822f31f720056a9f41e5e2c713a3682',
    plain: '',
    sealed: 'r5fQLhm3e93X/zD8hJj5XmZ/OUNEgCBqZxqlFBsKZc/0leZzN3qtay6oLx4=',
  },
  {
    client: '@lighthouse-web3/sdk 0.4.7',
    key: '166b34bbfd63a98e085d3de171e1efa964d495a31499c7eb50dd3ce0aa0d352f',
    plain:
      'Five stones show the way, any three of them.\nFive stones show the way, any three of them.\nFive stones show the way, any three of them.\n',
    sealed:
      'Mh4INoIkCFMyBzzWauGIlMt4Tn3TM81EKZmuPBPac66RzNlmjDlMfmhMKMl3vBvqFpMjagtskyjlIOmr9QtHv9ILfrFBoT82QmQFlB/yvPf5yt3wtpZ7eUHSSn7koUhObbR2ynGHU+Xss3lKJcQenEV7sP3eiXrAAYvQ3b1exBD9OvmkioGr1YSjP2VqNqspHfeKlUhVrHtV9tr9RcxhhI6i17ZScF6ZZV+aozIOQa+yDgg=',
  },
  {
    client: '@lighthouse-web3/sdk 0.4.3',
    key: '1b3412d460c93c6c4cece582f9a34e6b5241dadca269d0d98830906f7d60ad4e',
    plain: '',
    sealed: 'X4iR47tfXfIgGvVvxHa6PQjfVMo6XsS0tePR5maSSGtD4NFgUVGtS/YU/3k=',
  },
  {
    client: '@lighthouse-web3/sdk 0.4.3',
    key: '17a9985c2865f8f08ee8f0a0438f440596a720e40584714da44ee24149fce1a1',
    plain:
      'Five stones show the way, any three of them.\nFive stones show the way, any three of them.\nFive stones show the way, any three of them.\n',
    sealed:
      'WI0xE98vjc09fzq0QEjCNOOW7Ku/q+YKLr6fdLQxfZYN7sKb6A5cGtWQRVS19bTYIbABUlJ1sGKrkbUIn0dHqH9lcSeKs4qStbTSn98ky2gijqTgoYeDk5XORs+fbL6uFNOCoIc+2vuz1JP0f47oAPLczBc3pog7JQpaji22knpm3a3UDb47QpmGamDGEzFLmeydcqYNQTDBxIMVF7YM1Sj6yQ9H+9rFbu7MmsPgzhawUI0=',
  },
]
