#pragma clang diagnostic ignored "-Wc23-extensions"
#include "StudioPage.h"

static const unsigned char index_html[] = {
#embed "files/index.html"
};
static const unsigned char style_css[] = {
#embed "files/style.css"
};
static const unsigned char main_js[] = {
#embed "files/main.js"
};
static const unsigned char api_js[] = {
#embed "files/api.js"
};
static const unsigned char stream_js[] = {
#embed "files/stream.js"
};
static const unsigned char dom_js[] = {
#embed "files/dom.js"
};
static const unsigned char words_js[] = {
#embed "files/words.js"
};
static const unsigned char pairing_js[] = {
#embed "files/pairing.js"
};
static const unsigned char sheet_js[] = {
#embed "files/sheet.js"
};
static const unsigned char list_js[] = {
#embed "files/list.js"
};
static const unsigned char reach_js[] = {
#embed "files/reach.js"
};
static const unsigned char cell_js[] = {
#embed "files/cell.js"
};
static const unsigned char selection_js[] = {
#embed "files/selection.js"
};
static const unsigned char shot_js[] = {
#embed "files/shot.js"
};
static const unsigned char marks_js[] = {
#embed "files/marks.js"
};
static const unsigned char keys_js[] = {
#embed "files/keys.js"
};
static const unsigned char capture_js[] = {
#embed "files/capture.js"
};
static const unsigned char filters_js[] = {
#embed "files/filters.js"
};
static const unsigned char taking_js[] = {
#embed "files/taking.js"
};
static const unsigned char upcoming_js[] = {
#embed "files/upcoming.js"
};
static const unsigned char pictures_js[] = {
#embed "files/pictures.js"
};
static const unsigned char big_js[] = {
#embed "files/big.js"
};
static const unsigned char show_js[] = {
#embed "files/show.js"
};
static const unsigned char deliveries_js[] = {
#embed "files/deliveries.js"
};
static const unsigned char pace_js[] = {
#embed "files/pace.js"
};
static const unsigned char history_js[] = {
#embed "files/history.js"
};
static const unsigned char file_js[] = {
#embed "files/file.js"
};
static const unsigned char jobs_js[] = {
#embed "files/jobs.js"
};
static const unsigned char events_js[] = {
#embed "files/events.js"
};
static const unsigned char cards_js[] = {
#embed "files/cards.js"
};
static const unsigned char tools_js[] = {
#embed "files/tools.js"
};
static const unsigned char accounts_js[] = {
#embed "files/accounts.js"
};
static const unsigned char profile_js[] = {
#embed "files/profile.js"
};
static const unsigned char stations_js[] = {
#embed "files/stations.js"
};
static const unsigned char icon_svg[] = {
#embed "files/icon.svg"
};

static const studio_page pages[] = {
    {"index.html", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"style.css", "text/css; charset=utf-8", style_css, sizeof style_css},
    {"main.js", "text/javascript; charset=utf-8", main_js, sizeof main_js},
    {"api.js", "text/javascript; charset=utf-8", api_js, sizeof api_js},
    {"stream.js", "text/javascript; charset=utf-8", stream_js, sizeof stream_js},
    {"dom.js", "text/javascript; charset=utf-8", dom_js, sizeof dom_js},
    {"words.js", "text/javascript; charset=utf-8", words_js, sizeof words_js},
    {"pairing.js", "text/javascript; charset=utf-8", pairing_js, sizeof pairing_js},
    {"sheet.js", "text/javascript; charset=utf-8", sheet_js, sizeof sheet_js},
    {"list.js", "text/javascript; charset=utf-8", list_js, sizeof list_js},
    {"reach.js", "text/javascript; charset=utf-8", reach_js, sizeof reach_js},
    {"cell.js", "text/javascript; charset=utf-8", cell_js, sizeof cell_js},
    {"selection.js", "text/javascript; charset=utf-8", selection_js, sizeof selection_js},
    {"shot.js", "text/javascript; charset=utf-8", shot_js, sizeof shot_js},
    {"marks.js", "text/javascript; charset=utf-8", marks_js, sizeof marks_js},
    {"keys.js", "text/javascript; charset=utf-8", keys_js, sizeof keys_js},
    {"capture.js", "text/javascript; charset=utf-8", capture_js, sizeof capture_js},
    {"filters.js", "text/javascript; charset=utf-8", filters_js, sizeof filters_js},
    {"taking.js", "text/javascript; charset=utf-8", taking_js, sizeof taking_js},
    {"upcoming.js", "text/javascript; charset=utf-8", upcoming_js, sizeof upcoming_js},
    {"pictures.js", "text/javascript; charset=utf-8", pictures_js, sizeof pictures_js},
    {"big.js", "text/javascript; charset=utf-8", big_js, sizeof big_js},
    {"show.js", "text/javascript; charset=utf-8", show_js, sizeof show_js},
    {"deliveries.js", "text/javascript; charset=utf-8", deliveries_js, sizeof deliveries_js},
    {"pace.js", "text/javascript; charset=utf-8", pace_js, sizeof pace_js},
    {"history.js", "text/javascript; charset=utf-8", history_js, sizeof history_js},
    {"file.js", "text/javascript; charset=utf-8", file_js, sizeof file_js},
    {"jobs.js", "text/javascript; charset=utf-8", jobs_js, sizeof jobs_js},
    {"events.js", "text/javascript; charset=utf-8", events_js, sizeof events_js},
    {"cards.js", "text/javascript; charset=utf-8", cards_js, sizeof cards_js},
    {"tools.js", "text/javascript; charset=utf-8", tools_js, sizeof tools_js},
    {"accounts.js", "text/javascript; charset=utf-8", accounts_js, sizeof accounts_js},
    {"profile.js", "text/javascript; charset=utf-8", profile_js, sizeof profile_js},
    {"stations.js", "text/javascript; charset=utf-8", stations_js, sizeof stations_js},
    {"icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
};

int32_t studio_page_count(void) { return sizeof pages / sizeof *pages; }

studio_page studio_page_file(int32_t index) { return pages[index]; }
