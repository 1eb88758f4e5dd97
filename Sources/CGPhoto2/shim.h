#pragma once
#include <gphoto2/gphoto2.h>

/* Swift sees character arrays inside structures as tuples. */
static inline const char *fg_path_name(const CameraFilePath *path) { return path->name; }
static inline const char *fg_path_folder(const CameraFilePath *path) { return path->folder; }
/* A text widget's value comes through a void pointer. */
static inline const char *fg_widget_text(CameraWidget *widget) {
    char *text = NULL;
    CameraWidgetType type;
    if (gp_widget_get_type(widget, &type) < 0 || (type != GP_WIDGET_TEXT && type != GP_WIDGET_RADIO && type != GP_WIDGET_MENU)) return NULL;
    return gp_widget_get_value(widget, &text) < 0 ? NULL : text;
}
