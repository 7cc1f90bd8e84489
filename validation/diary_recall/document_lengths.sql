-- document_lengths are the numbers of sentences of the diarist's entries, in order
-- Grain: a row whose `document_lengths` are not those of the diarist's entries.
-- Columns: split, id, document_lengths, entries (their numbers of sentences, in the documents).
select
    split, id, corpus.document_lengths, diarists.document_lengths as entries
from corpus left join diarists on corpus.diarist = diarists.diarist
where corpus.document_lengths is distinct from diarists.document_lengths
order by all
