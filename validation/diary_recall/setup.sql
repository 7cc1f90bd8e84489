-- What the queries share. The rows of the config are the view `corpus`: its columns, and `split`.

-- entries. Grain: an entry of a document, cut out at each line that looks like a title: of diaries each that holds
-- 'Diary Entry', of other corpora each that is one ($title_line, in two groups: the line, and what follows it).
-- Columns: split, id, diarist; number (the document's, or counted where a document holds them all); title; sentences
-- (the lines below it).
create temp table entries as
with documents as (
    select
        split,
        id,
        diarist,
        entry,
        completion,
        prompt || completion as text
    from corpus
    where kind = 'document'
),

cut as (
    select
        *,
        case
            when contains(completion, $title_middle)
                then string_split(
                    regexp_replace(text, concat('\n(', $title_line, ')'), chr(30) || '\1\2', 'g'), chr(30)
                )
            else [text]
        end as texts
    from documents
),

numbered as (
    select
        split,
        id,
        diarist,
        entry,
        unnest(range(1, len(texts) + 1)) as place,
        string_split(unnest(texts), chr(10)) as lines
    from cut
)

select
    split,
    id,
    diarist,
    case when $simplified then place when place = 1 then entry end as number,
    lines[1] as title,
    lines[2:] as sentences
from numbered;

-- sentences. Grain: a sentence of an entry. Columns: split, id, number (the entry's), place (from 1), sentence.
create temp view sentences as
select
    split,
    id,
    number,
    unnest(range(1, len(sentences) + 1)) as place,
    unnest(sentences) as sentence
from entries;

-- known_sentences. Grain: a sentence as Table 3 allows it. Columns: attribute, value, sentence.
create temp table known_sentences as
with known as (
    select unnest($attributes, max_depth := 2)
)

select
    attribute,
    value,
    replace(replace($sentence, '{attribute}', attribute), '{value}', value) as sentence
from known;

-- different_sentences. Grain: a sentence, wherever it stands. Columns: sentence, attribute, value, num_found.
create temp table different_sentences as
with told_sentences as (
    select unnest(sentences) as sentence from entries
)

select
    sentence,
    split_part(sentence, ': ', 1) as attribute,
    split_part(sentence, ': ', 2) as value,
    count(*) as num_found
from told_sentences
group by sentence;

-- told. Grain: a diarist, as the documents tell. Columns: diarist, num_documents, document_lengths.
create temp table told as
select
    diarist,
    count(*) as num_documents,
    list(len(sentences) order by number) as document_lengths
from entries
group by diarist
