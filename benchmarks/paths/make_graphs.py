"""Writes the two invented graphs of the path questions, always the same: ``family.txt`` and ``encyclopedia.txt``.

    python benchmarks/paths/make_graphs.py

Nobody and nothing in them exists. The family graph names its relations by plain nouns, the encyclopaedic one by long
paths of domain, type and property, as large public knowledge bases do.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).resolve().parent
Triple = tuple[str, str, str]

# --- the family graph ----------------------------------------------------------------------------------------------

SURNAMES = "Abelard Brandvik Castellane Dunmore Eskola Ferrante Gildersleeve Hallorand Ingleby Jarnefelt".split()
MEN = (
    "Aldous Bastian Corwin Dorian Edric Florian Gareth Hector Ivo Jasper Kasimir Leopold Magnus Nestor Orlando "
    "Percival Quentin Rufus Silas Tobias Ulrich Valentin Wendell Xavier Yorick Zoltan Ansel Bertram Cosmo Denzel "
    "Emeric Fabian"
).split()
WOMEN = (
    "Adelina Beatrix Clementine Delphine Elspeth Felicity Greta Hermione Isolde Josephine Katarina Lavinia Mirabel "
    "Nerys Ottilie Philippa Rosalind Sidonie Tabitha Ursula Verity Wilhelmina Ximena Yolanda Zelda "
    "Amabel Brunhild Cosima"
).split()
NATIONS = ["Valdoria", "Kestria", "Norrland", "Ombria", "Tessaly", "Marrakand"]
CITIES = (
    "Port Ellery,Grauheim,Sandovar,Lindquist Bay,Old Tamsin,Quarrymouth,Vesper Falls,Highmere,Castelnero,Dunhollow"
).split(",")
PROFESSIONS = (
    "composer,physician,painter,lawyer,botanist,novelist,engineer,soldier,architect,astronomer,journalist,merchant"
).split(",")
RELIGIONS = ["Lutheranism", "Catholicism", "Buddhism", "Judaism", "Anglicanism"]
CAUSES = ["pneumonia", "heart attack", "drowning", "tuberculosis", "stroke", "cholera"]
SCHOOLS = ["Highmere Academy", "University of Grauheim", "Royal College of Castelnero", "Sandovar Polytechnic"]
LANGUAGES = ["Valdorian", "Kestrian", "Norrish", "Ombric"]


class Family:
    """Ten houses, three generations; each marriage has two or three children."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._first = {"male": list(MEN), "female": list(WOMEN)}
        self._used: set[str] = set()
        self.triples: list[Triple] = []

    def write(self) -> list[Triple]:
        """All triples of the graph."""
        founders = [(self._person("male", s), self._person("female", s)) for s in SURNAMES]
        second = [self._marry(*couple, surname, old=True) for couple, surname in zip(founders, SURNAMES, strict=True)]
        for i in range(len(SURNAMES)):
            husband = next((c for c, gender in second[i] if gender == "male"), None)
            wife = next((c for c, gender in second[(i + 1) % len(SURNAMES)] if gender == "female"), None)
            if husband and wife:
                self._marry(husband, wife, SURNAMES[i], old=False)
        return self.triples

    def _person(self, gender: str, surname: str) -> str:
        names = [n for n in self._first[gender] if f"{n} {surname}" not in self._used]
        name = f"{self._random.choice(names)} {surname}"
        self._used.add(name)
        choose = self._random.choice
        self._say(name, "gender", gender)
        self._say(name, "nationality", choose(NATIONS))
        self._say(name, "place_of_birth", choose(CITIES))
        self._say(name, "profession", choose(PROFESSIONS))
        self._say(name, "religion", choose(RELIGIONS))
        if self._random.random() < 0.4:
            self._say(name, "institution", choose(SCHOOLS))
        if self._random.random() < 0.3:
            self._say(name, "language", choose(LANGUAGES))
        return name

    def _marry(self, husband: str, wife: str, surname: str, old: bool) -> list[tuple[str, str]]:
        self._say(husband, "spouse", wife)
        self._say(wife, "spouse", husband)
        if old:
            for person in (husband, wife):
                self._say(person, "cause_of_death", self._random.choice(CAUSES))
                self._say(person, "place_of_death", self._random.choice(CITIES))
        genders = ["male", "female", self._random.choice(["male", "female"])][: self._random.choice([2, 3, 3])]
        children = [(self._person(gender, surname), gender) for gender in genders]
        for child, _ in children:
            for parent in (husband, wife):
                self._say(child, "parents", parent)
                self._say(parent, "children", child)
        for (a, _), (b, _) in combinations(children, 2):
            self._say(a, "sibling", b)
            self._say(b, "sibling", a)
        return children

    def _say(self, subject: str, relation: str, object_: str) -> None:
        self.triples.append((subject, relation, object_))


# --- the encyclopaedic graph ---------------------------------------------------------------------------------------

KINDS = {
    "person": (
        "Alma Reyhold,Bruno Castellan,Cyra Vantongeren,Dmitri Ohlsson,Edda Marlowe,Farid Benesch,Gwen Tolliver,"
        "Hakon Lindgard,Ines Carrowway,Jonas Petravic,Kaia Somerling,Lucan Fairwether,Mina Okonjo,Nils Aberdare,"
        "Oriel Quist,Pavel Drummond,Rhea Santangelo,Stellan Voigt,Tamar Illyes,Ugo Barbarini,Vera Nightingall,"
        "Wim Jorgensen,Yara Eklund,Zeno Pallister"
    ),
    "country": "Aldmark,Borogravia Minor,Cassaria,Drennland,Estovia",
    "city": "Ardenhall,Belcastro,Corvey,Dunsmouth,Elmsreach,Farrowgate,Gildenport",
    "language": "Aldish,Borogravian,Cassar,Drennic",
    "film": "The Glass Orchard,Midnight at Corvey,Seven Lanterns,A Winter Debt,The Tin Cartographer",
    "film genre": "drama,thriller,western,musical",
    "album": "Salt and Ember,Paper Moons,Low Tide Hymns",
    "band": "The Copper Wrens,Northbound Lanterns,Velvet Quarry",
    "music genre": "folk rock,chamber pop,swing",
    "song": "Harbour Song,Ode to Aldmark,Blue Kites",
    "instrument": "viola,accordion,trumpet,harp",
    "label": "Wayfarer Records,Old Mill Music",
    "book": "The Salt Road,Letters from Dunsmouth,The Clockmaker's Daughter's Map,A Short History of Fog",
    "book genre": "travel literature,mystery,historical fiction",
    "publisher": "Greywater Press,Lantern House",
    "character": "Inspector Quill,Old Marten,Princess Ilse",
    "company": "Helvard Motors,Bright Kettle Foods,Orrery Systems,Tallow and Sons",
    "industry": "automotive,food processing,software",
    "product": "the Swiftlet,Kettle Crisps,Orrery Desktop",
    "university": "University of Corvey,Elmsreach Institute,Aldmark Polytechnic",
    "subject": "geology,medieval history,fluid dynamics",
    "team": "Corvey Rovers,Dunsmouth Gulls,Belcastro Lions",
    "sport": "football,ice hockey",
    "league": "Northern League,Estovian Premier Division",
    "stadium": "Millgate Park,Gull Stadium",
    "colour": "crimson,navy blue,ochre",
    "party": "Green Harbour Party,Aldmark Union,Liberal Front",
    "ideology": "environmentalism,conservatism,social liberalism",
    "currency": "aldmark crown,cassar,estovian lira",
    "government": "constitutional monarchy,federal republic",
    "river": "Sorrel River,River Tamble,Greyflow",
    "sea": "Amber Sea,Gulf of Corvey",
    "lake": "Lake Ondine,Mirror Lake",
    "mountain": "Mount Harrow,Kestrel Peak,The Anvil",
    "range": "Harrow Range,Spine of Drenn",
    "island": "Saint Odo,Wrack Island",
    "disease": "marsh fever,glass lung,weaver's palsy",
    "symptom": "high temperature,coughing,tremor",
    "treatment": "quinine infusion,bed rest,breathing exercises",
    "drug": "Palsidone,Febrifex",
    "animal": "marsh heron,drennic wolfhound,amber seal",
    "habitat": "wetlands,tundra,rocky coast",
    "food": "river trout,berries,small fish",
    "show": "Harbour Lights,The Quill Files,Estovia Tonight",
    "network": "Cassar One,Drennland Broadcasting",
    "game": "Siege of the Anvil,Lighthouse Keeper",
    "platform": "Orrery Box,Pocketron",
    "building": "Ardenhall Cathedral,Belcastro Opera House,Tamble Bridge",
    "style": "baroque,brutalism,art deco",
    "material": "limestone,wrought iron",
    "airport": "Corvey International,Gildenport Airfield",
    "airline": "Amber Air,Trans Estovian",
    "dish": "smoked trout pie,barley dumplings",
    "ingredient": "barley,smoked fish,butter",
    "cheese": "Old Farrow,Belcastro Blue",
    "milk": "goat,sheep",
    "painting": "The Ferryman,Still Life with Kites",
    "museum": "Gildenport Gallery,Ardenhall Museum",
    "war": "War of the Two Rivers,Salt War",
    "battle": "Battle of Tamble Ford,Siege of Elmsreach",
    "moon": "Ilia,Brontes",
    "planet": "Tarn,Vesta Major",
    "religion": "Lanternism,Old Faith",
    "award": "Golden Quill,Amber Lion",
    "opera": "The Drowned Bell,Ilse in Exile",
    "event": "Corvey Film Week,Aldmark Games",
}
# Kind of subject, relation, kind of object, how many subjects have it, how many objects each.
FACTS = """
person /people/person/place_of_birth city 24 1
person /people/person/nationality country 24 1
person /people/person/religion religion 20 1
person /people/person/languages language 20 2
person /people/person/spouse person 6 1
person /people/person/parents person 8 1
person /people/person/children person 8 2
person /people/person/sibling person 5 1
person /people/person/employer company 20 1
person /people/deceased_person/place_of_death city 6 1
person /people/deceased_person/place_of_burial building 4 1
person /people/deceased_person/cause_of_death disease 6 1
person /education/student/alma_mater university 18 1
person /education/academic/field_of_study subject 14 1
person /people/person/political_party party 14 1
film /film/film/directed_by person 5 1
film /film/film/written_by person 5 1
film /film/film/produced_by person 5 1
film /film/film/starring person 5 3
film /film/film/genre film_genre 5 2
film /film/film/country country 5 1
film /film/film/language language 5 1
film /film/film/music person 4 1
film /film/film/cinematography person 4 1
film /film/film/edited_by person 4 1
film /film/film/sequel film 2 1
film /film/film/costume_design_by person 3 1
film /film/film/featured_song song 3 1
film /film/film/featured_film_locations city 5 1
film /film/film/production_company company 4 1
band /music/musical_group/member person 3 3
band /music/artist/genre music_genre 3 1
band /music/artist/label label 3 1
band /music/artist/origin city 3 1
album /music/album/artist band 3 1
album /music/album/producer person 3 1
album /music/album/genre music_genre 3 1
album /music/album/track song 3 1
song /music/composition/composer person 3 1
song /music/composition/lyricist person 3 1
song /music/composition/language language 3 1
person /music/group_member/instruments_played instrument 12 1
label /music/record_label/parent_label label 1 1
label /music/record_label/headquarters city 2 1
book /book/written_work/author person 4 1
book /book/book/genre book_genre 4 1
book /book/book/characters character 4 2
book /book/written_work/original_language language 4 1
book /book/book_edition/publisher publisher 4 1
book /book/book_edition/translator person 3 1
book /book/book_edition/illustrator person 3 1
book /book/written_work/next_in_series book 2 1
book /book/written_work/subject event 2 1
book /media_common/adapted_work/adaptation film 3 1
publisher /book/publisher/headquarters city 2 1
character /fictional_universe/fictional_character/created_by person 3 1
character /fictional_universe/fictional_character/portrayed_by person 3 1
character /fictional_universe/fictional_character/occupation subject 2 1
country /location/country/capital city 5 1
country /location/country/official_language language 5 1
country /location/country/currency_used currency 5 1
country /location/country/form_of_government government 5 1
country /location/country/head_of_state person 5 1
country /location/country/national_anthem song 3 1
country /location/location/adjoins country 5 2
country /location/country/ruling_party party 4 1
city /location/location/containedby country 7 1
city /location/citytown/mayor person 6 1
city /location/citytown/twin_town city 4 1
city /location/citytown/patron religion 3 1
company /organization/organization/founders person 4 2
company /organization/organization/headquarters city 4 1
company /organization/organization/parent company 2 1
company /business/company/chief_executive person 4 1
company /business/company/industry industry 4 1
company /business/company/products product 3 1
company /business/company/competitor company 3 1
company /business/company/major_shareholder person 3 1
product /business/product/inventor person 3 1
university /education/university/rector person 3 1
university /education/educational_institution/campus city 3 1
university /education/educational_institution/founded_by person 3 1
university /education/educational_institution/colors colour 3 1
university /education/educational_institution/mascot animal 3 1
university /education/university/departments subject 3 2
team /sports/sports_team/coach person 3 1
team /sports/sports_team/captain person 3 1
team /sports/sports_team/arena stadium 3 1
team /sports/sports_team/league league 3 1
team /sports/sports_team/sport sport 3 1
team /sports/sports_team/owner person 3 1
team /sports/sports_team/colors colour 3 1
team /sports/sports_team/roster person 3 3
team /sports/sports_team/rival team 2 1
stadium /sports/sports_facility/location city 2 1
stadium /sports/sports_facility/architect person 2 1
league /sports/league/champion team 2 1
party /government/political_party/ideology ideology 3 1
party /government/political_party/leader person 3 1
party /government/political_party/founder person 3 1
party /government/political_party/headquarters city 3 1
river /geography/river/mouth sea 3 1
river /geography/river/source mountain 3 1
river /geography/river/basin_countries country 3 2
river /geography/river/cities city 3 2
river /geography/river/tributary river 1 1
lake /geography/lake/inflow river 2 1
lake /geography/lake/country country 2 1
mountain /geography/mountain/mountain_range range 3 1
mountain /geography/mountain/first_ascent_by person 3 1
mountain /geography/mountain/country country 3 1
island /geography/island/body_of_water sea 2 1
island /geography/island/administered_by country 2 1
disease /medicine/disease/symptoms symptom 3 2
disease /medicine/disease/treatments treatment 3 1
disease /medicine/disease/discovered_by person 3 1
disease /medicine/disease/carrier animal 2 1
drug /medicine/drug/manufacturer company 2 1
drug /medicine/drug/used_to_treat disease 2 1
drug /medicine/drug/side_effect symptom 2 1
animal /biology/animal/habitat habitat 3 1
animal /biology/animal/diet food 3 1
animal /biology/animal/predator animal 2 1
animal /biology/animal/national_symbol_of country 2 1
show /tv/tv_program/creator person 3 1
show /tv/tv_program/network network 3 1
show /tv/tv_program/regular_cast person 3 3
show /tv/tv_program/country_of_origin country 3 1
show /tv/tv_program/theme_song song 3 1
show /tv/tv_program/presenter person 2 1
show /tv/tv_program/spin_off show 1 1
network /tv/tv_network/owner company 2 1
game /cvg/computer_game/developer company 2 1
game /cvg/computer_game/platform platform 2 1
game /cvg/computer_game/designer person 2 1
platform /cvg/cvg_platform/manufacturer company 2 1
building /architecture/structure/architect person 3 1
building /architecture/structure/architectural_style style 3 1
building /architecture/structure/material material 3 1
building /architecture/structure/location city 3 1
building /architecture/structure/opened_by person 2 1
airport /aviation/airport/serves city 2 1
airport /aviation/airport/operator company 2 1
airline /aviation/airline/hub airport 2 1
airline /aviation/airline/founder person 2 1
dish /food/dish/ingredients ingredient 2 2
dish /food/dish/cuisine country 2 1
cheese /food/cheese/milk_source milk 2 1
cheese /food/cheese/region city 2 1
painting /visual_art/artwork/artist person 2 1
painting /visual_art/artwork/exhibited_at museum 2 1
painting /visual_art/artwork/owner person 2 1
museum /architecture/museum/director person 2 1
museum /architecture/museum/city city 2 1
war /military/military_conflict/combatants country 2 2
war /military/military_conflict/victor country 2 1
battle /military/military_conflict/part_of war 2 1
battle /military/military_conflict/commander person 2 2
battle /military/military_conflict/location city 2 1
moon /astronomy/moon/orbits planet 2 1
moon /astronomy/celestial_object/discoverer person 2 1
religion /religion/religion/founder person 2 1
religion /religion/religion/holy_site building 2 1
language /language/human_language/main_country country 4 1
award /award/award/winner person 2 3
award /award/award/presented_by event 2 1
opera /opera/opera/composer person 2 1
opera /opera/opera/librettist person 2 1
opera /opera/opera/premiere_venue building 2 1
event /time/event/location city 2 1
event /time/event/organizer person 2 1
"""


def encyclopedia(seed: int) -> Iterator[Triple]:
    """Triples of the encyclopaedic graph, each relation between the kinds that it joins."""
    chance = random.Random(seed)
    entities = {kind: names.split(",") for kind, names in KINDS.items()}
    for line in FACTS.split("\n"):
        if line:
            subject_kind, relation, object_kind, subjects, objects = line.split()
            around = entities[object_kind.replace("_", " ")]
            for subject in sorted(chance.sample(entities[subject_kind], int(subjects))):
                others = [name for name in around if name != subject]
                for object_ in chance.sample(others, min(int(objects), len(others))):
                    yield subject, relation, object_


def write(path: Path, triples: Sequence[Triple]) -> None:
    """One triple a line, each once."""
    path.write_text("".join("|".join(t) + "\n" for t in dict.fromkeys(triples)), encoding="utf-8")


if __name__ == "__main__":
    write(HERE / "family.txt", Family(seed=11).write())
    write(HERE / "encyclopedia.txt", list(encyclopedia(seed=11)))
