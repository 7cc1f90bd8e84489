"""The publication of datasets and portraits on the Hub, and the download of a release.

`publish.prepare` checks a dataset folder and plans the changes; `portraits.publishing` does so for portraits.
`publish.push` carries a plan out: it pushes, reads back and tags. `pull` downloads a dataset and checks every byte.
"""
