"""The one door to the Hub: plan, publish and pull, for datasets and portraits alike.

`publish.prepare` checks a folder and plans what would change, `publish.push` does just that, `pull` brings a release
back and checks every byte of it.
"""
