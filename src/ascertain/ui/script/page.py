"""What Streamlit runs. It puts the folder of its script first on the path, so the script lives alone in one."""

from ascertain.ui.page import show_page

show_page()
