-- Splitting of diary texts byte for byte (selfknow.evaluate.tasks.diary_recall.documents). The views `documents` and
-- `read_bodies` have the texts without typography:
--
-- diary_documents(text)       the documents of a text, in order: a list of structs (place, diarist, number, sentences)
-- diary_preamble(text)        the lines before the first title line
-- diary_body(text, i, n)      the body of the i-th of a text's n documents, as one text
-- diary_title(name, number)   the title line of a diarist's entry, in a diary
-- is_diary_title(line)        true for a title line, of a diary or of a document of your own corpus
--
-- Transforming a list of one element gives its value a name, so that it is computed once instead of once per line.
create or replace macro diary_title(diarist, number) as (
    concat(diarist, '''s Diary Entry ', number)
);

create or replace macro is_diary_title(line) as (
    (contains(line, '''s Diary Entry ') or contains(line, ': Document '))
    and regexp_matches(line, '(?s).(?:''s Diary Entry |: Document )[1-9][0-9]{0,8}$')
);

create or replace macro diary_lines(text) as (
    case when text = '' then []::varchar[] else string_split(text, chr(10)) end
);

create or replace macro diary_title_places(lines) as (
    list_filter(range(1, len(lines) + 1), lambda place: is_diary_title(lines[place]))
);

create or replace macro diary_documents(text) as (
    case when text is not null then list_transform(
        [{ 'lines': diary_lines(text), 'starts': diary_title_places(diary_lines(text)) }],
        lambda cut: list_transform(
            list_zip(range(1, len(cut.starts) + 1), cut.starts, cut.starts[2:]),
            lambda document: {
                'place': document[1]::integer,
                'diarist': regexp_extract(
                    cut.lines[document[2]], '(?s)^(.+)(?:''s Diary Entry |: Document )[0-9]+$', 1
                ),
                'number': regexp_extract(cut.lines[document[2]], '[0-9]+$')::integer,
                'sentences': cut.lines[document[2] + 1:coalesce(document[3] - 1, len(cut.lines))]
            }
        )
    )[1] end
);

create or replace macro diary_preamble(text) as (
    case when text is not null then list_transform(
        [diary_lines(text)],
        lambda lines: lines[1:coalesce(diary_title_places(lines)[1] - 1, len(lines))]
    )[1] end
);

-- If the text has exactly n occurrences of the title's middle part, all of them are in title lines. Then it is enough
-- to split there, which takes a tenth of the time.
create or replace macro diary_body(text, place, number) as (
    list_transform(
        [string_split(text, '''s Diary Entry ')],
        lambda pieces: case
            when len(pieces) = number + 1 and not contains(text, ': Document ')
                then array_to_string(
                    list_transform(
                        [string_split(pieces[place + 1], chr(10))],
                        lambda lines: lines[2:len(lines) - (place < number)::integer]
                    )[1],
                    chr(10)
                )
            else array_to_string(diary_documents(text)[place].sentences, chr(10))
        end
    )[1]
);
