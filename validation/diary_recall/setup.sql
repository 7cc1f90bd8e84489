-- Tables that several queries read. The view `corpus` holds the rows of the config, with their `split`.

-- entries. Grain: an entry. Documents are cut at each line that looks like a title: in diaries each line with
-- 'Diary Entry', in other corpora each line that matches $title_line (two groups: the line, and the text after it).
-- Columns: split, id, diarist; number (the document's, or counted if a document holds all entries); title; sentences
-- (the lines below it).
create temp table entries as
with documents as (
    select
        split, id, diarist, entry, completion,
        prompt || completion as text,
        replace(split_part($title, '{entry}', 1), '{name}', diarist) as title_start
    from corpus
    where kind = 'document'
),

cut as (
    select
        *,
        case
            when not coalesce(contains(completion, $title_middle), false) then [text]
            -- In undamaged diaries every line that looks like a title begins with the diarist's name. Cutting there is
            -- many times faster than with a regular expression.
            when
                $any_middle_is_a_title
                and starts_with(text, title_start)
                and len(string_split(text, $title_middle)) = len(string_split(text, chr(10) || title_start)) + 1
                then string_split(replace(text, chr(10) || title_start, chr(30) || title_start), chr(30))
            else
                string_split(
                    regexp_replace(text, concat('\n(', $title_line, ')'), chr(30) || '\1\2', 'g'), chr(30)
                )
        end as texts
    from documents
),

numbered as (
    select
        split, id, diarist, entry,
        unnest(range(1, len(texts) + 1)) as place,
        string_split(unnest(texts), chr(10)) as lines
    from cut
)

select
    split, id, diarist,
    case when $simplified then place when place = 1 then entry end as number,
    lines[1] as title,
    lines[2:] as sentences
from numbered;

-- sentences. Grain: a sentence of an entry. Columns: split, id, number (the entry's), place (from 1), sentence.
create temp view sentences as
select
    split, id, number,
    unnest(range(1, len(sentences) + 1)) as place,
    unnest(sentences) as sentence
from entries;

-- known_sentences. Grain: a sentence that Table 3 allows. Columns: attribute, value, sentence.
create temp table known_sentences as
with known as (
    select unnest($attributes, max_depth := 2)
)

select
    attribute, value,
    replace(replace($sentence, '{attribute}', attribute), '{value}', value) as sentence
from known;

-- different_sentences. Grain: a different sentence of the corpus. Columns: sentence, attribute, value, num_entries.
create temp table different_sentences as
with all_sentences as (
    select unnest(sentences) as sentence from entries
)

select
    sentence,
    split_part(sentence, ': ', 1) as attribute,
    split_part(sentence, ': ', 2) as value,
    count(*) as num_entries
from all_sentences
group by sentence;

-- diarists. Grain: a diarist of the documents.
-- Columns: diarist, num_documents, numbers and document_lengths (of the entries, in the order of their numbers).
create temp table diarists as
with lists as (
    select
        diarist,
        list_sort(list({ 'number': number, 'length': len(sentences) })) as entries
    from entries
    group by diarist
)

select
    diarist,
    len(entries) as num_documents,
    list_transform(entries, lambda entry: entry.number) as numbers,
    list_transform(entries, lambda entry: entry.length) as document_lengths
from lists
